/** A JSON Schema as a list of its properties. */
import type { Schema } from 'virtual:schemas';
import { Text, typeText } from './fields.tsx';

export const SchemaView = ({ schema }: { schema: Schema }) => {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop() ?? '';
    return <a href={`#schema-${name}`}>{name}</a>;
  }
  const union = schema.anyOf ?? schema.oneOf;
  if (union?.some((part) => part.$ref || part.properties)) {
    return (
      <>
        {union.map((part, i) => (
          <span key={i}>
            {i > 0 && <span class="muted"> or </span>}
            <SchemaView schema={part} />
          </span>
        ))}
      </>
    );
  }
  if (schema.type === 'array' && schema.items) {
    return (
      <>
        <span class="muted">array of </span>
        <SchemaView schema={schema.items} />
      </>
    );
  }
  return schema.properties ? <Properties schema={schema} /> : typeText(schema);
};

const Properties = ({ schema }: { schema: Schema }) => (
  <dl class="properties">
    {Object.entries(schema.properties ?? {}).map(([name, field]) => (
      <div key={name}>
        <dt>
          <code>{name}</code> {schema.required?.includes(name) ? null : <span class="small muted">optional</span>}
        </dt>
        <dd>
          <SchemaView schema={field} />
          {field.description && (
            <p class="small muted">
              <Text>{field.description}</Text>
            </p>
          )}
        </dd>
      </div>
    ))}
  </dl>
);
