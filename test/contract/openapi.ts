/** The OpenAPI document against a strict linter, and the running edge against the document. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { paths } from '../../shared/paths.ts';
import { adminKey, type TemporarySystem, upload } from '../support/local-system.ts';
import { mustRun, pythonWith, run } from '../support/python.ts';
import { renderScene } from '../support/scenes.ts';

const LINTER = '@redocly/cli@2.77.0';
const FUZZER = ['schemathesis==4.32.5'];
const EXAMPLES_PER_OPERATION = 40;
const SEED = 14;
/** Below the 10 a second that an account may ask. */
const REQUESTS_PER_SECOND = 9;

/** Fetches the linter into the folder; false where the npm registry is not reached. */
export const installLinter = async (folder: string): Promise<boolean> => {
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  return (await run('npm', ['install', '--silent', '--no-audit', '--no-fund', LINTER], { cwd: folder })) === 0;
};

export const lint = async (folder: string, document: unknown): Promise<void> => {
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document, null, 2));
  const redocly = join(folder, 'node_modules', '.bin', 'redocly');
  // A warning counts: none is allowed.
  await mustRun(redocly, ['lint', '--extends=recommended-strict', file], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
};

/** Token and name of a real download, so that the fuzzer reaches files, ranges and entity tags too. */
const realDownload = async (system: TemporarySystem): Promise<{ token: string; filename: string }> => {
  const photo = { name: 'mug.jpg', bytes: await renderScene('mug', { width: 320 }) };
  const answer = await upload(system.baseUrl, system.apiKey, [photo], { canvas: '100' });
  const { results } = (await answer.json()) as { results: { clean_url: string }[] };
  const [filename = '', token = ''] = (results[0]?.clean_url ?? '').split('/').reverse();
  return { token, filename };
};

/**
 * Besides its defaults. What a schema cannot say is refused by 400, 413, 415 and 422: options that contradict each
 * other, an address that is not public, bytes that are no image, a key used for another request, a range past the end, an
 * expiry that is over, more keys than an account may have; by 410 what was deleted. Of the keys, one is changed and rolled
 * and none revoked: the list names the fuzzer's own, too. Nothing is waited for.
 */
const configuration = ({ token, filename, keyId }: { token: string; filename: string; keyId: string }): string => `
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "402", "403", "404", "405", "406", "409", "410", "413", "415", "416", "422", "428", "429"]

[[operations]]
include-name = "POST ${paths.hero}"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "409", "410", "413", "415", "422", "429"]

[[operations]]
include-name = "GET ${paths.status.replace(/:(\w+)/g, '{$1}')}"
checks.positive_data_acceptance.expected-statuses = ["2xx", "404", "410"]

[[operations]]
include-name-regex = "GET ${paths.batch.replace(/:(\w+)/g, '.+')}/results.(zip|csv)"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "404", "410"]

[[operations]]
include-name = "POST ${paths.keyRevoke.replace(/:(\w+)/g, '{$1}')}"
enabled = false

[[operations]]
include-name = "POST ${paths.check}"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "413", "415", "422", "429"]

[[operations]]
include-name = "POST ${paths.removebg}"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "403", "409", "429"]

[[operations]]
include-name = "POST ${paths.keys}"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "409"]

[[operations]]
include-name-regex = "(PATCH|POST) ${paths.keys}/.*"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "404", "409"]
[operations.parameters]
"path.key_id" = "${keyId}"

[[operations]]
include-name = "GET ${paths.download.replace(/:(\w+)/g, '{$1}')}"
checks.positive_data_acceptance.expected-statuses = ["2xx", "304", "403", "404", "410", "416"]
[operations.parameters]
"path.token" = "${token}"
"path.filename" = "${filename}"

[[operations]]
include-name = "GET ${paths.webhookEvents}"
[operations.parameters]
"query.wait" = 0
`;

/** A key that may be changed. */
const otherKey = async (system: TemporarySystem, secret: string): Promise<string> => {
  const answer = await fetch(system.baseUrl + paths.keys, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'changed' }),
  });
  return ((await answer.json()) as { key: { key_id: string } }).key.key_id;
};

/** Schemathesis with every check that it has. Throws where it finds anything. */
export const fuzz = async (folder: string, system: TemporarySystem): Promise<void> => {
  const bin = await pythonWith(FUZZER);
  const work = join(folder, 'fuzz');
  await mkdir(work, { recursive: true });
  const document = await (await fetch(system.baseUrl + paths.openapi)).text();
  await writeFile(join(work, 'openapi.json'), document);
  const secret = await adminKey(system);
  const known = { ...(await realDownload(system)), keyId: await otherKey(system, secret) };
  await writeFile(join(work, 'schemathesis.toml'), configuration(known));
  await mustRun(
    join(bin, 'schemathesis'),
    [
      ...['run', 'openapi.json', '--url', system.baseUrl, '-H', `Authorization: Bearer ${secret}`],
      ...['--seed', String(SEED), '--max-examples', String(EXAMPLES_PER_OPERATION), '--continue-on-failure'],
      ...['--rate-limit', `${REQUESTS_PER_SECOND}/s`, '--request-timeout', '60', '--warnings', 'off'],
    ],
    { cwd: work, env: { PATH: process.env['PATH'], HOME: folder } },
  );
};
