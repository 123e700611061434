import { marketplaceNames } from '../../../../shared/marketplaces/index.ts';
import type { KeyRow } from '../../../../shared/portal-api.ts';
import { Choice, Day } from '../../components/filter-fields.tsx';
import { marketplaceLabels } from '../../marketplace-labels.ts';
import { type Asked, presets } from './asked.ts';

type Props = {
  asked: Asked;
  keys: readonly KeyRow[];
  keptFrom: string | undefined;
  onChange: (change: Partial<Asked>) => void;
};

export const Filters = ({ asked, keys, keptFrom, onChange }: Props) => {
  const ranges = presets(Date.now());
  const today = ranges[0]?.to;
  const ofMode = keys.filter(({ mode }) => mode === asked.mode);
  return (
    <div class="stack tight">
      <fieldset class="tabs" aria-label="Range">
        {ranges.map(({ name, from, to }) => (
          <button
            key={name}
            type="button"
            class="tab"
            aria-pressed={from === asked.from && to === asked.to}
            onClick={() => onChange({ from, to })}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <div class="log-filters usage-filters">
        <Day label="From (UTC)" value={asked.from} min={keptFrom} max={today} onValue={(from) => onChange({ from })} />
        <Day label="To (UTC)" value={asked.to} min={keptFrom} max={today} onValue={(to) => onChange({ to })} />
        <Choice
          label="Made with"
          value={asked.mode}
          options={[
            ['live', 'Live keys'],
            ['test', 'Test keys'],
          ]}
          onValue={(mode) => onChange({ mode, key: '' })}
        />
        <Choice
          label="Key"
          value={asked.key}
          options={[
            ['', `All ${asked.mode} keys`],
            ...ofMode.map((key) => [key.key_id, `${key.label} (${key.masked})`] as const),
          ]}
          onValue={(key) => onChange({ key })}
        />
        <Choice
          label="Marketplace"
          value={asked.marketplace}
          options={[['', 'All'], ...marketplaceNames.map((name) => [name, marketplaceLabels[name]] as const)]}
          onValue={(marketplace) => onChange({ marketplace })}
        />
      </div>
    </div>
  );
};
