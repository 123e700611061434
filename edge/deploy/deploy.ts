/**
 * `npm run deploy [-- --config wrangler.production.toml] [--check]`: refuses an unsafe wrangler file, then deploys the
 * edge with it; what is missing on the legal pages is a warning. `--check` does not deploy. Exit code 1 where the file is unsafe.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { unstable_readConfig } from 'wrangler';
import { configFaults, configWarnings } from './config-faults.ts';

const { values } = parseArgs({
  options: { config: { type: 'string', default: 'wrangler.production.toml' }, check: { type: 'boolean' } },
});
const config = unstable_readConfig({ config: values.config }, { hideWarnings: true });
for (const warning of configWarnings(config)) process.stderr.write(`${values.config}: warning: ${warning}\n`);
const faults = configFaults(config);
for (const fault of faults) process.stderr.write(`${values.config}: ${fault}\n`);
if (faults.length > 0) process.exit(1);
if (values.check) process.stdout.write(`${values.config}: nothing unsafe\n`);
else process.exitCode = spawnSync('wrangler', ['deploy', '--config', values.config], { stdio: 'inherit' }).status ?? 1;
