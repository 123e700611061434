import { fileOfAccount } from '../api.ts';
import { Icon } from './icon.tsx';

export const ExportLedger = () => (
  <a class="button compact" href={fileOfAccount('/ledger.csv')} download>
    <Icon name="download" size={14} />
    Export CSV
  </a>
);
