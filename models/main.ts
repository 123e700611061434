/** `node models/main.ts [--quiet] [--model NAME …]`: makes sure the models are there and prints their paths. */
import { parseArgs } from 'node:util';
import { defaultModels } from './catalogue.ts';
import { ensureModel } from './ensure.ts';
import { ModelError } from './failure.ts';
import { progressBar } from './progress.ts';

const { values } = parseArgs({
  options: { quiet: { type: 'boolean', default: false }, model: { type: 'string', multiple: true } },
});
const bar = progressBar(!values.quiet && process.stderr.isTTY);
try {
  for (const name of values.model ?? defaultModels) {
    const { path } = await ensureModel(name, { onProgress: bar.show });
    bar.stop();
    if (!values.quiet) console.log(path);
  }
} catch (error) {
  bar.stop();
  const expected = error instanceof ModelError || (error instanceof Error && 'syscall' in error);
  if (!expected) throw error;
  console.error(`models: ${error.message}`);
  process.exitCode = 1;
}
