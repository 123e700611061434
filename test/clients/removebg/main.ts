/**
 * `node test/clients/removebg/main.ts [--keep DIR]`: the clients of remove.bg, unchanged, against this service with the
 * real model. Only the key is ours, and the host by HTTPS_PROXY. A client whose registry is not reached is skipped with a
 * line that says so. `--keep` leaves what they made in DIR.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { temporarySystem } from '../../support/local-system.ts';
import { startPhotoServer } from '../../support/photo-server.ts';
import { renderScene } from '../../support/scenes.ts';
import { type Call, type Client, clients, type Made } from './clients.ts';
import { type ClientProxy, startProxy } from './proxy.ts';

const { values } = parseArgs({ options: { keep: { type: 'string' } } });
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** What every client was asked for shows a product on something else than its photo's room. */
const check = async ({ name, file }: Made): Promise<string> => {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { format } = await sharp(file).metadata();
  const [red, green, blue, alpha] = [...data.subarray(0, 4)];
  const corner = alpha === 0 ? 'transparent' : `rgb(${red}, ${green}, ${blue})`;
  if (info.width * info.height < 10_000) throw new Error(`${name}: ${info.width} × ${info.height} px`);
  return `${name}: ${format}, ${info.width} × ${info.height} px, corner ${corner}`;
};

type Balance = { data: { attributes: { credits: { total: number } } } };
const balanceOf = async (baseUrl: string, key: string): Promise<number> => {
  const answer = await fetch(`${baseUrl}/v1.0/account`, { headers: { 'x-api-key': key } });
  return ((await answer.json()) as Balance).data.attributes.credits.total;
};

const keep = async (client: Client, { name, file }: Made): Promise<void> => {
  if (values.keep === undefined) return;
  await mkdir(values.keep, { recursive: true });
  await writeFile(join(values.keep, `${client.name} ${name}`.replace(/[^\w.]+/g, '-')), file);
};

const tryOut = async (client: Client, folder: string, call: Call): Promise<'passed' | 'skipped' | 'failed'> => {
  try {
    await client.install(folder);
  } catch (error) {
    say(
      `── ${client.name}: skipped, it cannot be installed here (${String((error as Error).message)
        .split('\n')
        .slice(0, 2)
        .join(' ')})`,
    );
    return 'skipped';
  }
  try {
    for (const made of await client.use(folder, call)) {
      say(`   ${await check(made)}${made.facts ? ` ${JSON.stringify(made.facts)}` : ''}`);
      await keep(client, made);
    }
    const told = await client.refused(folder, call);
    if (!told.includes('cannot be honoured')) throw new Error(`a refusal reads ${told}`);
    say(`   a refusal reads: ${told.trim().slice(0, 160)}`);
    return 'passed';
  } catch (error) {
    say(`   ${(error as Error).stack}`);
    return 'failed';
  }
};

/** The credits that the requests of `proxy` should have cost: one each but for previews and refusals. */
const chargedOf = ({ seen }: ClientProxy): number => seen.filter(({ charged }) => charged === '1').length;

const main = async (): Promise<boolean> => {
  const folder = await mkdtemp(join(tmpdir(), 'packshot-clients-'));
  const photos = await startPhotoServer([await renderScene('mug')]);
  const system = await temporarySystem({ credits: 100, env: { LOCAL_INPUT_HOSTS: photos.hostPort } });
  const proxy = await startProxy(system.baseUrl, folder);
  try {
    const photo = join(folder, 'photo.jpg');
    await writeFile(photo, await renderScene('shoe'));
    const call = { key: system.apiKey, photo, photoUrl: `${photos.url}/photo/0.jpg`, env: proxy.env };
    const results: string[] = [];
    for (const [i, client] of clients.entries()) {
      say(`── ${client.name}`);
      const own = join(folder, String(i));
      await mkdir(own);
      results.push(await tryOut(client, own, call));
      say(`── ${client.name}: ${results.at(-1)}`);
    }
    const spent = 100 - (await balanceOf(system.baseUrl, system.apiKey));
    say(`── ${proxy.seen.length} requests, ${spent} credits spent`);
    return !results.includes('failed') && spent === chargedOf(proxy);
  } finally {
    await proxy.close();
    await photos.close();
    await system.remove();
    await rm(folder, { recursive: true, force: true });
  }
};

process.exit((await main()) ? 0 : 1);
