import { PORTAL_API } from '../api.ts';
import { Icon } from './icon.tsx';

export const ExportLedger = () => (
  <a class="button compact" href={`${PORTAL_API}/ledger.csv`} download>
    <Icon name="download" size={14} />
    Export CSV
  </a>
);
