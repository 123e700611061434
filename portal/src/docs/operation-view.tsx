import { Badge } from '../components/badge.tsx';
import { Code } from '../components/code.tsx';
import { H2 } from './doc-head.tsx';
import { Text } from './fields.tsx';
import type { Endpoint, Media, Parameter } from './openapi.ts';
import { callsOf, examplesOf } from './operation-examples.ts';
import { SchemaView } from './schema-view.tsx';

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

const nameOf = ({ method, path }: Endpoint): string => `${method.toUpperCase()} ${path}`;

const Calls = ({ endpoint }: { endpoint: Endpoint }) => (
  <>
    <h3>Request</h3>
    {callsOf(endpoint).map(({ title, source }) => (
      <Code key={title} source={source} title={title} label={`${nameOf(endpoint)}: ${title}`} />
    ))}
  </>
);

/** What is no JSON is a file. */
const Answers = ({ endpoint, content }: { endpoint: Endpoint; content: Media }) => (
  <>
    {examplesOf(content['application/json'] ?? {}, 'Answer').map(({ title, value }) => (
      <Code
        key={title}
        source={JSON.stringify(value, null, 2)}
        language="json"
        title={title}
        label={`${nameOf(endpoint)} answers: ${title}`}
      />
    ))}
  </>
);

const Parameters = ({ parameters }: { parameters: readonly Parameter[] }) => (
  <>
    <h3>Parameters</h3>
    <dl class="properties">
      {parameters.map((parameter) => (
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
);

const idOf = ({ method, path }: Endpoint): string => `${method}-${path.replace(/[^a-z0-9]+/gi, '-')}`;

const Method = ({ name }: { name: string }) => (
  <Badge tone={name === 'get' ? 'info' : name === 'delete' ? 'bad' : 'good'}>{name.toUpperCase()}</Badge>
);

/** Every endpoint at a glance, each a link to its section. */
export const EndpointList = ({ endpoints }: { endpoints: readonly Endpoint[] }) => (
  <ul class="endpoints framed">
    {endpoints.map((endpoint) => (
      <li key={idOf(endpoint)}>
        <a href={`#${idOf(endpoint)}`}>
          <Method name={endpoint.method} /> <code>{endpoint.path}</code>{' '}
          <span class="small muted">{endpoint.operation.summary}</span>
        </a>
      </li>
    ))}
  </ul>
);

export const OperationView = ({ endpoint }: { endpoint: Endpoint }) => {
  const { method, path, operation } = endpoint;
  return (
    <section class="operation">
      <H2 id={idOf(endpoint)}>{operation.summary ?? path}</H2>
      <p class="endpoint">
        <Method name={method} /> <code>{path}</code>
      </p>
      {operation['x-scope'] && (
        <p class="small muted">
          <a href="/docs/keys#scopes">Scope</a>: <code>{operation['x-scope']}</code>
        </p>
      )}
      {operation.description && (
        <p>
          <Text>{operation.description}</Text>
        </p>
      )}
      <Calls endpoint={endpoint} />
      {operation.parameters && operation.parameters.length > 0 && <Parameters parameters={operation.parameters} />}
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
          {status.startsWith('2') && response.content && <Answers {...{ endpoint }} content={response.content} />}
          {response.content ? <Bodies content={response.content} /> : <p class="small muted">No body.</p>}
        </details>
      ))}
    </section>
  );
};
