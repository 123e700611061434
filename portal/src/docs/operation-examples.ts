/** Examples of the OpenAPI document as calls that run and answers as they come. Pure. */
import { inShell } from '../samples/in-shell.ts';
import { origin } from '../samples/origin.ts';
import type { Endpoint, MediaType } from './openapi.ts';

export type Example = { readonly title: string; readonly value: unknown };

/** Those of one body; a single one may have no title of its own. */
export const examplesOf = ({ example, examples }: MediaType, title: string): readonly Example[] => {
  if (examples) return Object.values(examples).map(({ summary, value }) => ({ title: summary ?? title, value }));
  return example === undefined ? [] : [{ title, value: example }];
};

const FILE = /^\(bytes of (.+)\)$/;

/** A list is sent part by part, and the bytes of a file from a file of that name. */
const formParts = (fields: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((part) => `-F ${inShell(`${name}=${String(part).replace(FILE, '@$1')}`)}`),
  );

const bodyLines = (type: string, value: unknown): string[] => {
  const fields = value as Readonly<Record<string, unknown>>;
  if (type === 'multipart/form-data') return formParts(fields);
  if (type === 'application/x-www-form-urlencoded')
    return Object.entries(fields).map(([name, text]) => `--data-urlencode ${inShell(`${name}=${text}`)}`);
  return [`-H 'Content-Type: ${type}'`, `-d ${inShell(JSON.stringify(value, null, 2))}`];
};

/** With the examples of its path's parameters. */
const addressOf = ({ path, operation }: Endpoint): string =>
  (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'path')
    .reduce((address, { name, example }) => address.replace(`{${name}}`, String(example)), origin() + path);

/** Under the name that the answer gives it. */
const savesFile = ({ operation }: Endpoint): boolean => {
  const { content } = operation.responses['200'] ?? {};
  return content !== undefined && !('application/json' in content);
};

/** A call on the shell for each example of a body, or one without a body. */
export const callsOf = (endpoint: Endpoint): readonly { readonly title: string; readonly source: string }[] => {
  const { method, operation } = endpoint;
  const call = (lines: readonly string[]): string => {
    const verb = method === 'get' || (method === 'post' && lines.length > 0) ? [] : [`-X ${method.toUpperCase()}`];
    const key = operation.security?.length === 0 ? [] : ['-H "Authorization: Bearer $PACKSHOT_KEY"'];
    return [`curl ${addressOf(endpoint)}`, ...verb, ...key, ...lines, ...(savesFile(endpoint) ? ['-OJ'] : [])].join(
      ' \\\n  ',
    );
  };
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  if (bodies.length === 0) return [{ title: `${method.toUpperCase()} ${endpoint.path}`, source: call([]) }];
  const calls = bodies.flatMap(([type, media]) =>
    examplesOf(media, type).map(({ title, value }) => ({ title, source: call(bodyLines(type, value)) })),
  );
  // The same in another type of body says nothing new.
  return calls.filter(({ title }, at) => calls.findIndex((other) => other.title === title) === at);
};
