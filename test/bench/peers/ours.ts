/** packshot's pipeline, in the process as the others are. */
import { readFile, writeFile } from 'node:fs/promises';
import { loadInfer } from '../../support/infer.ts';
import { cutOut } from '../cut-out.ts';
import { serve } from './serve.ts';

const { infer } = await loadInfer();
await serve(async ({ path, out }) => {
  const file = await cutOut(new Uint8Array(await readFile(path)), infer);
  if (!file) throw new Error('no product found');
  await writeFile(out, file);
});
