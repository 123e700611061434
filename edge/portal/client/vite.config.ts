/** Builds the portal's client. The JSON Schemas of the documentation are made here, from the zod schemas that the API itself uses. */
import preact from '@preact/preset-vite';
import { type Plugin, defineConfig } from 'vite';
import { z } from 'zod';
import * as api from '../../../shared/api.ts';
import { optionsSchema } from '../../../shared/options.ts';

const completedImage = (): unknown => {
  const status = z.toJSONSchema(api.statusImageSchema, { io: 'output' }) as { oneOf?: { properties?: Record<string, { const?: unknown }> }[]; anyOf?: { properties?: Record<string, { const?: unknown }> }[] };
  return (status.oneOf ?? status.anyOf ?? []).find((part) => part.properties?.['status']?.const === 'completed');
};

const schemas = (): Record<string, unknown> => ({
  options: z.toJSONSchema(optionsSchema, { io: 'input' }),
  uploadResponse: z.toJSONSchema(api.uploadResponseSchema),
  uploadResult: z.toJSONSchema(api.uploadResultSchema),
  uploadFailedResult: z.toJSONSchema(api.uploadFailedResultSchema),
  batchRequest: z.toJSONSchema(api.batchRequestSchema, { io: 'input' }),
  batchCreated: z.toJSONSchema(api.batchCreatedSchema),
  batchStatus: z.toJSONSchema(api.batchStatusSchema),
  completedImage: completedImage(),
  compliance: z.toJSONSchema(api.complianceSchema),
  problem: z.toJSONSchema(api.problemSchema),
  account: z.toJSONSchema(api.accountSchema),
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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false }), schemaModule()],
  build: {
    outDir: '../dist',
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
});
