/** The API reference, rendered from the OpenAPI document that the API itself serves. */

import type { Schema } from 'virtual:schemas';
import { useEffect, useState } from 'preact/hooks';
import { Badge, Notice, Skeleton } from '../ui/kit.tsx';
import { typeText } from './fields.tsx';
import { DocHead, H2 } from './parts.tsx';

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema };
type Media = Record<string, { schema?: Schema }>;
type Operation = {
  summary?: string;
  description?: string;
  parameters?: readonly Parameter[];
  requestBody?: { content: Media; description?: string };
  responses: Record<
    string,
    { description?: string; content?: Media; headers?: Record<string, { description?: string }> }
  >;
};
type Document = {
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'];
const anchor = (method: string, path: string): string => `${method}-${path.replace(/[^a-z0-9]+/gi, '-')}`;

/** Descriptions carry code in backticks, and nothing else of Markdown. */
const Text = ({ children }: { children: string }) => (
  <>{children.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);

const SchemaView = ({ schema }: { schema: Schema }) => {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop() ?? '';
    return <a href={`#schema-${name}`}>{name}</a>;
  }
  const union = schema.anyOf ?? schema.oneOf;
  if (union && union.some((part) => part.$ref || part.properties)) {
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
  return schema.properties ? <Properties schema={schema} /> : <>{typeText(schema)}</>;
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

const Bodies = ({ content }: { content: Media }) => (
  <>
    {Object.entries(content).map(([type, { schema }]) => (
      <div class="body-kind" key={type}>
        <code>{type}</code>
        {schema && <SchemaView schema={schema} />}
      </div>
    ))}
  </>
);

const OperationView = ({ method, path, operation }: { method: string; path: string; operation: Operation }) => (
  <section class="operation">
    <H2 id={anchor(method, path)}>{operation.summary ?? path}</H2>
    <p class="endpoint">
      <Badge tone={method === 'get' ? 'info' : 'good'}>{method.toUpperCase()}</Badge> <code>{path}</code>
    </p>
    {operation.description && (
      <p>
        <Text>{operation.description}</Text>
      </p>
    )}
    {operation.parameters && operation.parameters.length > 0 && (
      <>
        <h3>Parameters</h3>
        <dl class="properties">
          {operation.parameters.map((parameter) => (
            <div key={parameter.name}>
              <dt>
                <code>{parameter.name}</code>{' '}
                <span class="small muted">
                  {parameter.in}
                  {parameter.required ? '' : ', optional'}
                </span>
              </dt>
              <dd>
                {parameter.schema && <SchemaView schema={parameter.schema} />}
                {parameter.description && (
                  <p class="small muted">
                    <Text>{parameter.description}</Text>
                  </p>
                )}
              </dd>
            </div>
          ))}
        </dl>
      </>
    )}
    {operation.requestBody && (
      <>
        <h3>Body</h3>
        <Bodies content={operation.requestBody.content} />
      </>
    )}
    <h3>Responses</h3>
    {Object.entries(operation.responses).map(([status, response]) => (
      <details class="response" key={status}>
        <summary>
          <Badge
            tone={
              status.startsWith('2')
                ? 'good'
                : status.startsWith('4')
                  ? 'warn'
                  : status.startsWith('5')
                    ? 'bad'
                    : undefined
            }
          >
            {status}
          </Badge>{' '}
          <Text>{response.description ?? ''}</Text>
        </summary>
        {response.content ? <Bodies content={response.content} /> : <p class="small muted">No body.</p>}
      </details>
    ))}
  </section>
);

const Reference = () => {
  const [document, setDocument] = useState<Document | 'failed'>();
  useEffect(() => {
    fetch('/api/v1/openapi.json')
      .then((response) => (response.ok ? response.json() : Promise.reject(new Error(String(response.status)))))
      .then(setDocument, () => setDocument('failed'));
  }, []);
  const operations =
    typeof document === 'object'
      ? Object.entries(document.paths).flatMap(([path, item]) =>
          METHODS.filter((method) => item[method]).map((method) => ({ path, method, operation: item[method]! })),
        )
      : [];
  const schemas = typeof document === 'object' ? Object.entries(document.components?.schemas ?? {}) : [];
  return (
    <>
      <DocHead title="API reference">
        Made from the schemas that check the requests. The document itself:{' '}
        <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).
      </DocHead>
      {document === 'failed' && <Notice tone="bad">The OpenAPI document could not be loaded.</Notice>}
      {document === undefined && <Skeleton height={60} />}
      {operations.map((each) => (
        <OperationView key={each.method + each.path} {...each} />
      ))}
      {schemas.length > 0 && <h2 id="schemas">Schemas</h2>}
      {schemas.map(([name, schema]) => (
        <section key={name} class="operation">
          <h3 id={`schema-${name}`}>{name}</h3>
          {schema.description && (
            <p>
              <Text>{schema.description}</Text>
            </p>
          )}
          <SchemaView schema={schema} />
        </section>
      ))}
    </>
  );
};
export default Reference;
