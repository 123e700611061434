/** A table of fields, read off a JSON Schema. */

import type { Schema } from 'virtual:schemas';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';

export const typeText = (schema: Schema): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => String(value)).join(' · ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return [...new Set(union.map(typeText))].join(' or ');
  if (schema.$ref) return schema.$ref.split('/').pop() ?? 'object';
  if (schema.type === 'array') return `array of ${schema.items ? typeText(schema.items) : 'anything'}`;
  const base = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any');
  const format = schema.format === 'uri' ? ' (URL)' : schema.format === 'date-time' ? ' (time)' : '';
  return base + format + rangeText(schema);
};

const SAFE = Number.MAX_SAFE_INTEGER;
const rangeText = ({ minimum, maximum }: Schema): string => {
  const low = minimum !== undefined && minimum > -SAFE ? minimum : undefined;
  const high = maximum !== undefined && maximum < SAFE ? maximum : undefined;
  if (low !== undefined && high !== undefined) return `, ${low} to ${high}`;
  return low !== undefined && low > 0 ? `, at least ${low}` : high !== undefined ? `, at most ${high}` : '';
};

/** Descriptions carry code in backticks, and nothing else of Markdown. */
export const Text = ({ children }: { children: string }) => (
  <>{children.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);

export type FieldNotes = Readonly<Record<string, string>>;
export const Fields = ({ schema, notes = {}, caption }: { schema: Schema; notes?: FieldNotes; caption: string }) => (
  <ScrollRegion class="framed" label={caption}>
    <Table class="fields" caption={caption} columns={['Field', 'Type', 'Meaning']}>
      {Object.entries(schema.properties ?? {}).map(([name, field]) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
          </td>
          <td class="type">{typeText(field)}</td>
          <td>
            <Text>{notes[name] ?? field.description ?? ''}</Text>
          </td>
        </tr>
      ))}
    </Table>
  </ScrollRegion>
);
