/**
 * Builds the portal's client. The JSON Schemas of the documentation are made here, from the zod schemas that the API
 * itself uses.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import preact from '@preact/preset-vite';
import { defineConfig, type Plugin } from 'vite';
import { z } from 'zod';
import * as api from '../shared/api.ts';
import { checkAnswerSchema, publicFindingSchema } from '../shared/check-api.ts';
import { optionsSchema } from '../shared/options.ts';
import { parseChangelog } from './src/changelog/parse.ts';

type Json = { $ref?: string; $defs?: Record<string, Json> };

/** A schema with an id is written as a reference to its own definition; pages want the definition. */
const schemaOf = (schema: z.ZodType, io: 'input' | 'output' = 'output'): Json => {
  const { $defs = {}, ...json } = z.toJSONSchema(schema, { io }) as Json;
  return json.$ref ? ($defs[json.$ref.split('/').pop() ?? ''] ?? json) : json;
};

const schemas = (): Record<string, unknown> => ({
  options: schemaOf(optionsSchema, 'input'),
  uploadResponse: schemaOf(api.uploadResponseSchema),
  uploadResult: schemaOf(api.uploadResultSchema),
  uploadFailedResult: schemaOf(api.uploadFailedResultSchema),
  batchRequest: schemaOf(api.batchRequestSchema, 'input'),
  batchCreated: schemaOf(api.batchCreatedSchema),
  batchStatus: schemaOf(api.batchStatusSchema),
  completedImage: schemaOf(api.completedImageSchema),
  compliance: schemaOf(api.complianceSchema),
  review: schemaOf(api.reviewSchema),
  check: schemaOf(checkAnswerSchema),
  finding: schemaOf(publicFindingSchema),
  problem: schemaOf(api.problemSchema),
  account: schemaOf(api.accountSchema),
});

const SCHEMAS = 'virtual:schemas';
const schemaModule = (): Plugin => ({
  name: 'schemas',
  resolveId: (id) => (id === SCHEMAS ? `\0${SCHEMAS}` : undefined),
  load: (id) =>
    id === `\0${SCHEMAS}`
      ? Object.entries(schemas())
          .map(([name, schema]) => `export const ${name} = ${JSON.stringify(schema)};`)
          .join('\n')
      : undefined,
});

const CHANGELOG = 'virtual:changelog';
const changelogModule = (): Plugin => ({
  name: 'changelog',
  resolveId: (id) => (id === CHANGELOG ? `\0${CHANGELOG}` : undefined),
  load: (id) => {
    if (id !== `\0${CHANGELOG}`) return undefined;
    const markdown = readFileSync(join(import.meta.dirname, '..', 'CHANGELOG.md'), 'utf8');
    return `export const releases = ${JSON.stringify(parseChangelog(markdown))};`;
  },
});

export default defineConfig({
  root: import.meta.dirname,
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false }), schemaModule(), changelogModule()],
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    target: 'es2022',
    // The first versions with light-dark(); for older ones it would be written out twice.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
});
