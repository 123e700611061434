import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { errors } from '../../../../shared/errors.ts';
import { marketplaceNames } from '../../../../shared/marketplaces/index.ts';
import type { KeyRow } from '../../../../shared/portal-api.ts';
import { Button } from '../../components/button.tsx';
import { Choice, Day } from '../../components/filter-fields.tsx';
import { marketplaceLabels } from '../../marketplace-labels.ts';
import { type Filter, noFilter } from './use-log.ts';

const statuses = [
  ['', 'All statuses'],
  ['success', '2xx success'],
  ['client_error', '4xx refused'],
  ['server_error', '5xx failed'],
] as const;
const errorCodes = Object.keys(errors).sort();
const REQUEST_ID = /^req_[0-9a-z]{26}$/;
const NAME_CHARS_MAX = 100;

type Props = { filter: Filter; keys: readonly KeyRow[]; onChange: (change: Partial<Filter>) => void };

/** A request id opens its request; anything else is a part of a file name. */
const SearchField = ({ filter, onChange }: Omit<Props, 'keys'>) => {
  const { route: navigate } = useLocation();
  const [text, setText] = useState(filter.name);
  const search = (): void => {
    const asked = text.trim();
    if (REQUEST_ID.test(asked)) navigate(`/logs/${asked}`);
    else onChange({ name: asked });
  };
  return (
    <form
      class="log-search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <input
        class="input"
        type="search"
        aria-label="File name or request id"
        placeholder="File name or request id"
        maxLength={NAME_CHARS_MAX}
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
      />
      <Button type="submit">Search</Button>
    </form>
  );
};

export const Filters = ({ filter, keys, onChange }: Props) => (
  <div class="stack tight">
    <SearchField key={filter.name} filter={filter} onChange={onChange} />
    <div class="log-filters">
      <Choice
        label="Key"
        value={filter.key}
        options={[['', 'All keys'], ...keys.map((key) => [key.key_id, `${key.label} (${key.masked})`] as const)]}
        onValue={(key) => onChange({ key })}
      />
      <Choice label="Status" value={filter.status} options={statuses} onValue={(status) => onChange({ status })} />
      <Choice
        label="Error code"
        value={filter.error}
        options={[['', 'Any or none'], ...errorCodes.map((code) => [code, code] as const)]}
        onValue={(error) => onChange({ error })}
      />
      <Choice
        label="Marketplace"
        value={filter.marketplace}
        options={[['', 'All'], ...marketplaceNames.map((name) => [name, marketplaceLabels[name]] as const)]}
        onValue={(marketplace) => onChange({ marketplace })}
      />
      <Day label="From (UTC)" value={filter.from} onValue={(from) => onChange({ from })} />
      <Day label="To (UTC)" value={filter.to} onValue={(to) => onChange({ to })} />
    </div>
    {Object.values(filter).some((value) => value !== '') && (
      <div class="row">
        <Button compact kind="quiet" onClick={() => onChange(noFilter)}>
          Clear filters
        </Button>
      </div>
    )}
  </div>
);
