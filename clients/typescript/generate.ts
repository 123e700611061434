/**
 * Writes src/generated.ts, the API's types, from the OpenAPI document that the edge serves: `npm run clients:generate`.
 * A test makes them again and compares.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { openapiDocument } from '../../edge/http/openapi.ts';

const HEAD = '/** Generated from the OpenAPI document by generate.ts; a change here is lost. */\n';
/** Request bodies that the client writes as forms, and what clients of remove.bg send and get. */
const isLeftOut = (name: string): boolean => name.endsWith('Form') || name.startsWith('Removebg');

type Tree = { readonly [name: string]: unknown };

/** `components.schemas` under the name that JSON Schema knows. */
const asDefinitions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asDefinitions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/components/schemas/', '#/definitions/')
        : asDefinitions(inner),
    ]),
  );
};

/** Every code that an error example of the document carries. */
const codesIn = (value: unknown, found = new Set<string>()): Set<string> => {
  if (typeof value !== 'object' || value === null) return found;
  const { code, retryable } = value as Tree;
  if (typeof code === 'string' && typeof retryable === 'boolean') found.add(code);
  for (const inner of Object.values(value)) codesIn(inner, found);
  return found;
};

export const generatedTypes = async (): Promise<string> => {
  const document = openapiDocument('https://example.com') as unknown as {
    paths: Tree;
    components: { schemas: Tree };
  };
  const kept = Object.entries(document.components.schemas).filter(([name]) => !isLeftOut(name));
  const definitions = asDefinitions(Object.fromEntries(kept)) as Record<string, JSONSchema>;
  const types = await compile({ definitions, type: 'object', additionalProperties: false }, 'Api', {
    unreachableDefinitions: true,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    bannerComment: '',
    style: { singleQuote: true, printWidth: 120 },
  });
  const codes = [...codesIn(document.paths)].sort().map((code) => `  | '${code}'`);
  return `${HEAD}${tidy(types)}\n/** Every code of the API's errors. */\nexport type ErrorCode =\n${codes.join('\n')};\n`;
};

/** Without the empty root type and the generator's remarks. */
const tidy = (types: string): string =>
  types
    .replace(/^export interface Api \{\}\n/m, '')
    .replace(/ \*\n(?= \* This interface was referenced)/g, '')
    .replace(/ \* This interface was referenced by `Api`'s JSON-Schema\n \* via the `definition` ".*"\.\n/g, '')
    .replace(/^\/\*\*\n \*\/\n/gm, '')
    .replace(/\n{3,}/g, '\n\n');

if (import.meta.main) writeFileSync(join(import.meta.dirname, 'src', 'generated.ts'), await generatedTypes());
