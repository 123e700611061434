/** The API reference, made from the OpenAPI document that the API itself serves. */
import { useEffect, useState } from 'preact/hooks';
import { paths } from '../../../shared/paths.ts';
import { Notice } from '../components/notice.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { DocHead } from './doc-head.tsx';
import { endpointsOf, type OpenApi } from './openapi.ts';
import { OperationView } from './operation-view.tsx';
import { SchemaView, Text } from './schema-view.tsx';

type Loaded = OpenApi | 'failed' | undefined;

export const ReferenceOf = ({ document }: { document: Loaded }) => {
  const endpoints = typeof document === 'object' ? endpointsOf(document) : [];
  const schemas = typeof document === 'object' ? Object.entries(document.components?.schemas ?? {}) : [];
  return (
    <>
      <DocHead title="API reference">
        Generated from the schemas that validate requests. The document itself: <a href={paths.openapi}>openapi.json</a>{' '}
        (OpenAPI 3.1).
      </DocHead>
      {document === 'failed' && <Notice tone="bad">The OpenAPI document could not be loaded.</Notice>}
      {document === undefined && <Skeleton height={60} />}
      {endpoints.map((endpoint) => (
        <OperationView key={endpoint.method + endpoint.path} {...endpoint} />
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

const Reference = () => {
  const [document, setDocument] = useState<Loaded>();
  useEffect(() => {
    fetch(paths.openapi)
      .then((response) => (response.ok ? response.json() : Promise.reject(new Error(String(response.status)))))
      .then(setDocument, () => setDocument('failed'));
  }, []);
  return <ReferenceOf document={document} />;
};
export default Reference;
