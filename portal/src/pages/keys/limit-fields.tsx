import { useId } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import { keyScopes } from '../../../../shared/scopes.ts';
import { Field } from '../../components/field.tsx';
import { type LimitFields, scopeTexts } from './limits.ts';

type Props = {
  fields: LimitFields;
  /** Test keys spend nothing. */
  hasCap: boolean;
  onFields: (fields: LimitFields) => void;
};

const Scopes = ({ fields, onFields }: Omit<Props, 'hasCap'>) => (
  <fieldset class="choices">
    <legend class="label">Permissions</legend>
    {keyScopes.map((scope) => {
      const [name, text] = scopeTexts[scope];
      const others = fields.scopes.filter((other) => other !== scope);
      return (
        <label class="checkbox" key={scope}>
          <input
            type="checkbox"
            checked={fields.scopes.includes(scope)}
            onChange={(e) => onFields({ ...fields, scopes: e.currentTarget.checked ? [...others, scope] : others })}
          />
          <span>
            {name} <code>{scope}</code>
            {text && <span class="hint block">{text}</span>}
          </span>
        </label>
      );
    })}
  </fieldset>
);

const Addresses = ({ fields, onFields }: Omit<Props, 'hasCap'>) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Allowed addresses</label>
      <textarea
        id={id}
        class="input mono"
        rows={2}
        spellcheck={false}
        placeholder={'203.0.113.0/24\n2001:db8::/32'}
        aria-describedby={`${id}-more`}
        value={fields.addresses}
        onInput={(e) => onFields({ ...fields, addresses: e.currentTarget.value })}
      />
      <div id={`${id}-more`} class="hint">
        One to a line, at most {limits.keys.allowedIpsMax}. Empty: from everywhere.
      </div>
    </div>
  );
};

export const LimitFieldset = ({ fields, hasCap, onFields }: Props) => (
  <>
    <Scopes fields={fields} onFields={onFields} />
    {hasCap && (
      <Field
        label="Credits a day"
        type="number"
        min={0}
        max={limits.keys.creditsPerDayMax}
        value={fields.cap}
        onInput={(e) => onFields({ ...fields, cap: e.currentTarget.value })}
        hint="The key never spends more on one day (UTC). Empty: all that the account has."
      />
    )}
    <Addresses fields={fields} onFields={onFields} />
    <Field
      label="Last day"
      type="date"
      value={fields.expires}
      onInput={(e) => onFields({ ...fields, expires: e.currentTarget.value })}
      hint="The key ends with this day (UTC). Empty: it does not end."
    />
  </>
);
