/** The client and the OpenAPI document say the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generatedTypes } from '../../clients/typescript/generate.ts';
import { version } from '../../clients/typescript/src/version.ts';

const folder = join(import.meta.dirname, '..', '..', 'clients', 'typescript');

it('the types are those of the OpenAPI document that the edge serves (npm run clients:generate)', async () => {
  expect(readFileSync(join(folder, 'src', 'generated.ts'), 'utf8')).toBe(await generatedTypes());
});

it('the package says the version that its program says', () => {
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({ version });
});
