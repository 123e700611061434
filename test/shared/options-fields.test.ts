/** Options of a batch as fields of a form again: what they resolve to is what was asked for. */
import { expect, it } from 'vitest';
import { optionsFromFields, resolveOptions } from '../../shared/options.ts';
import { fieldsOfOptions } from '../../shared/options-fields.ts';

const roundTrip = (fields: Record<string, string>) => {
  const resolved = resolveOptions(optionsFromFields(new Map(Object.entries(fields))));
  if (!resolved.ok) throw new Error(resolved.failure.detail);
  const back = fieldsOfOptions(resolved.value) ?? {};
  const again = resolveOptions(optionsFromFields(new Map(Object.entries(back))));
  expect(again, JSON.stringify(back)).toEqual(resolved);
  return back;
};

it.each<Record<string, string>>([
  {},
  { marketplace: 'ebay' },
  { marketplace: 'zalando', background: '#f4f4f4' },
  { marketplace: 'zalando', canvas: '1801x2600', fill: '0.7' },
  { marketplaces: 'amazon' },
  { marketplaces: 'amazon,walmart,zalando', canvas: '2000', format: 'webp', quality: '70' },
  { marketplaces: 'ebay,amazon', canvas: '1600', fill: '0.85' },
  { background: 'transparent', format: 'png' },
  { layout: 'original', shadow: 'soft', provenance: 'iptc', on_finding: 'fail' },
  { region: '120,80,600,700' },
  { region: '10%,5%,45.1234%,90%' },
  { region: '29%,57%,14%,28.7%' },
])('%o resolves to the same once more', (fields) => void roundTrip(fields));

it('the fields are only those that differ from the defaults', () => {
  expect(roundTrip({ marketplace: 'amazon', background: 'white', shadow: 'none', layout: 'hero' })).toEqual({});
  expect(roundTrip({ marketplace: 'ebay', fill: '0.9' })).toEqual({ marketplace: 'ebay', fill: '0.9' });
});

it('of a request of remove.bg’s API there are none', () => {
  const resolved = resolveOptions({});
  if (!resolved.ok) throw new Error('the defaults are refused');
  const cutout = {} as NonNullable<typeof resolved.value.cutout>;
  expect(fieldsOfOptions({ ...resolved.value, cutout })).toBeUndefined();
});
