/** The API reference, made from the OpenAPI document that the API itself serves. */
import type { JSX } from 'preact';
import { paths } from '../../../shared/paths.ts';
import { DocHead } from './doc-head.tsx';
import { Text } from './fields.tsx';
import { endpointsOf, loadOpenApi, type OpenApi } from './openapi.ts';
import { EndpointList, OperationView } from './operation-view.tsx';
import { SchemaView } from './schema-view.tsx';

export const ReferenceOf = ({ document }: { document: OpenApi }) => {
  const endpoints = endpointsOf(document);
  const schemas = Object.entries(document.components?.schemas ?? {});
  return (
    <>
      <DocHead title="API reference">
        Generated from the schemas that validate requests. The document itself: <a href={paths.openapi}>openapi.json</a>{' '}
        (OpenAPI 3.1).
      </DocHead>
      <EndpointList endpoints={endpoints} />
      {endpoints.map((endpoint) => (
        <OperationView key={endpoint.method + endpoint.path} endpoint={endpoint} />
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

/** The page, once it has its document: a page written at build time keeps what it shows until then. */
export const loadReference = async (): Promise<{ default: () => JSX.Element }> => {
  const document = await loadOpenApi();
  return { default: () => <ReferenceOf document={document} /> };
};
