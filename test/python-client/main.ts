/**
 * `npm run test:python`: the Python client against the whole running system. Skipped, with a line that says so, where
 * there is no Python or its registry is not reached. `--generate` writes the generated models instead (`npm run python:models`).
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openapiDocument } from '../../edge/http/openapi.ts';
import { signedHeaders } from '../../edge/webhooks/signature.ts';
import { createAccount } from '../../local/system.ts';
import { publicKeyOf } from '../../shared/service-key.ts';
import { readLedger } from '../support/ledger.ts';
import { adminKey, type TemporarySystem, temporarySystem } from '../support/local-system.ts';
import { startLossyProxy } from '../support/lossy-proxy.ts';
import { startPhotoServer } from '../support/photo-server.ts';
import { mustRun, pythonWith, run, whyNoPython } from '../support/python.ts';
import { type QuickNode, startQuickNode } from '../support/quick-node.ts';
import { seeded } from '../support/random.ts';
import { renderScene } from '../support/scenes.ts';
import { newSteps } from '../support/steps.ts';
import { readmeExample } from './readme.ts';

const CALLS = 1_000;
const client = join(import.meta.dirname, '..', '..', 'clients', 'python');
const { values } = parseArgs({ options: { generate: { type: 'boolean', default: false } } });
const { step, skip, end } = newSteps();

const generate = async (bin: string, folder: string, flags: readonly string[]): Promise<void> => {
  const document = join(folder, 'openapi.json');
  await writeFile(document, JSON.stringify(openapiDocument('https://packshot.example')));
  await mustRun(join(bin, 'python'), [join(client, 'generate.py'), document, ...flags]);
};

/** Builds the wheel and runs the README's first example in an environment that has nothing else. */
const runReadmeFromWheel = async (bin: string, folder: string, system: TemporarySystem): Promise<string> => {
  await mustRun(join(bin, 'python'), ['-m', 'build', '--wheel', '--outdir', folder, client], { stdio: 'ignore' });
  const [wheel] = (await readdir(folder)).filter((name) => name.endsWith('.whl'));
  if (!wheel) throw new Error('there is no wheel');
  await mustRun('python3', ['-m', 'venv', join(folder, 'empty')]);
  const python = join(folder, 'empty', 'bin', 'python');
  await mustRun(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', join(folder, wheel)]);
  await writeFile(join(folder, 'photo.jpg'), await renderScene('mug', { width: 640 }));
  await writeFile(join(folder, 'example.py'), await readmeExample(client));
  await mustRun(python, ['example.py'], { cwd: folder, env: environment(system, system.apiKey) });
  const made = await readFile(join(folder, 'main-image.jpg'));
  if (made[0] !== 0xff || made[1] !== 0xd8) throw new Error('the example wrote no JPEG');
  return `${wheel}: main-image.jpg of ${made.length} bytes`;
};

const environment = (system: TemporarySystem, apiKey: string, url = system.baseUrl): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  PACKSHOT_KEY: apiKey,
  PACKSHOT_URL: url,
});

/** A delivery of a real batch's status, signed by the edge's own code. */
const delivery = async (system: TemporarySystem, folder: string): Promise<string> => {
  const headers = { authorization: `Bearer ${system.apiKey}`, 'content-type': 'application/json' };
  const created = await fetch(`${system.baseUrl}/api/v1/service-hero`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ input_url: 'https://127.0.0.1/none.jpg' }),
  });
  const { batch_id } = (await created.json()) as { batch_id: string };
  const status = await fetch(`${system.baseUrl}/api/v1/service-hero/status/${batch_id}?wait=25`, { headers });
  const body = await status.text();
  const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
  const signed = await signedHeaders({ id: 'evt_1', timestampSeconds: Math.floor(Date.now() / 1_000), body }, secret);
  const file = join(folder, 'delivery.json');
  await writeFile(file, JSON.stringify({ secret, headers: signed, body }));
  return file;
};

/** The tests of the free check expect a node that finds what they ask for. */
const CHECKS = join('tests', 'test_check.py');

const contract = async (
  bin: string,
  folder: string,
  system: TemporarySystem,
  shop: string,
  tests: readonly string[],
): Promise<void> => {
  await writeFile(join(folder, 'photo.jpg'), await renderScene('mug', { width: 640 }));
  const code = await run(join(bin, 'pytest'), ['-q', '--no-header', '-p', 'no:cacheprovider', ...tests], {
    cwd: client,
    env: {
      ...environment(system, system.apiKey),
      PHOTO: join(folder, 'photo.jpg'),
      SHOP: shop,
      ADMIN_KEY: await adminKey(system),
      DELIVERY: await delivery(system, folder),
    },
  });
  if (code !== 0) throw new Error(`pytest ended with ${code}`);
};

/** Half of the calls by each of the two clients, through the proxy; then the books are read. */
const losses = async (bin: string, system: TemporarySystem, node: QuickNode): Promise<string> => {
  const proxy = await startLossyProxy(system.baseUrl, { lose: 0.3, double: 0.1, random: seeded(14).next });
  const { accountId, apiKey } = await createAccount(system.baseUrl, system.secrets, CALLS);
  try {
    await mustRun(join(bin, 'python'), [join(client, 'tests', 'losses.py'), String(CALLS)], {
      env: { ...environment(system, apiKey, proxy.url), PYTHONPATH: join(client, 'src') },
    });
    const { totals } = await readLedger(system, accountId);
    const found = `${CALLS} calls were ${proxy.counts.requests} requests, ${proxy.counts.lost} answers lost, ${proxy.counts.doubled} requests doubled; ${node.jobs()} images, ${totals.spent} credits spent, ${totals.held} held`;
    if (node.jobs() !== CALLS || totals.spent !== CALLS || totals.held !== 0 || totals.available !== 0)
      throw new Error(found);
    return found;
  } finally {
    await proxy.close();
  }
};

const why = await whyNoPython();
if (why !== undefined) skip('the Python client', why);
else {
  const folder = await mkdtemp(join(tmpdir(), 'packshot-python-'));
  const requirements = (await readFile(join(client, 'requirements-dev.txt'), 'utf8')).trim().split('\n');
  const bin = await pythonWith(requirements);
  const tool = (name: string, ...args: string[]) => mustRun(join(bin, name), args, { cwd: client });
  if (values.generate) await generate(bin, folder, []);
  else {
    await step('the generated models are those of the OpenAPI document', () => generate(bin, folder, ['--check']));
    await step('mypy --strict finds nothing', () => tool('mypy', '--no-error-summary'));
    await step('ruff finds nothing', async () => {
      await tool('ruff', 'check', '--quiet', '--no-cache');
      await tool('ruff', 'format', '--quiet', '--check', '--no-cache');
    });
    const shop = await startPhotoServer();
    const system = await temporarySystem({ credits: 100, env: { LOCAL_INPUT_HOSTS: shop.hostPort } });
    try {
      await step('the wheel runs the first example of its README in an empty environment', () =>
        runReadmeFromWheel(bin, folder, system),
      );
      await step('both clients keep their contract with the running system', () =>
        contract(bin, folder, system, shop.url, [`--ignore=${CHECKS}`]),
      );
      await system.origin().stop();
      const node = await startQuickNode(system.settings.originPort, publicKeyOf(system.secrets.serviceKey));
      await step('both clients check photos free', async () => {
        await contract(bin, folder, system, shop.url, [CHECKS]);
        return `${node.checks()} photos checked, ${node.jobs()} jobs`;
      });
      await step(`${CALLS} calls over a network that loses 30 % of answers and doubles 10 % of requests`, () =>
        losses(bin, system, node),
      );
      await node.close();
    } finally {
      await system.remove();
      await shop.close();
    }
  }
  await rm(folder, { recursive: true, force: true });
}
end('The Python client keeps its promises.');
