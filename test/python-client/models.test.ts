/** The Python client's generated files against the OpenAPI document, where there is no Python to generate them again. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openapiDocument } from '../../edge/http/openapi.ts';

const folder = join(import.meta.dirname, '..', '..', 'clients', 'python', 'src', 'packshot');
const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

type Schema = { readonly properties?: Readonly<Record<string, unknown>>; readonly required?: readonly string[] };
const document = openapiDocument('https://packshot.example') as unknown as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly 'x-error-codes': Readonly<Record<string, { status: number; scope: string; retryable: boolean }>>;
};

/**
 * Requests, which the client builds itself, and the rules of marketplaces, which it does not ask for; generate.py leaves
 * them out, and what is for clients of remove.bg.
 */
const unused = new Set([
  ...['UploadForm', 'BatchRequest', 'ManyImagesRequest', 'OneImageRequest', 'BatchItem', 'CheckForm', 'CheckBody'],
  ...['KeyCreation', 'KeyChange', 'KeyRoll'],
  ...['Marketplaces', 'Marketplace', 'MarketplaceRule', 'Requirement'],
]);

describe('the generated files of the Python client', () => {
  it('have each field of each schema, and no other', async () => {
    // Without the texts that describe fields.
    const text = (await read('_models.py')).replace(/^ {4}"""[\s\S]*?"""$/gm, '');
    const found = Object.fromEntries(
      text
        .split(/^@dataclass\(frozen=True\)\nclass /m)
        .slice(1)
        .map((part) => [
          /^\w+/.exec(part)?.[0] ?? '',
          Array.from(part.matchAll(/^ {4}(\w+): /gm), ([, name]) => name).sort(),
        ]),
    );
    const expected = Object.fromEntries(
      Object.entries(document.components.schemas)
        .filter(([name, schema]) => !unused.has(name) && !name.startsWith('Removebg') && schema.properties)
        .map(([name, schema]) => [name, Object.keys(schema.properties ?? {}).sort()]),
    );
    expect(found).toEqual(expected);
  });

  it('have each error code with its status, its scope and whether it may be retried', async () => {
    const rows = (await read('_error_codes.py')).matchAll(/^ {4}"(\w+)": \((\d+), "(\w+)", (True|False)\),$/gm);
    const found = Array.from(rows, ([, code, status, scope, retryable]) => [
      code,
      Number(status),
      scope,
      retryable === 'True',
    ]);
    const expected = Object.entries(document['x-error-codes']).map(([code, { status, scope, retryable }]) => [
      code,
      status,
      scope,
      retryable,
    ]);
    expect(found).toEqual(expected);
  });
});
