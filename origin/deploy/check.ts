/**
 * `npm run deploy:check`: refuses unsafe container files, exit code 1. `npm run deploy:pin`: writes the digest of each
 * image beside its tag, as the registry has it now; needs Docker with buildx. Images of our own are pinned when they
 * have been pushed, by their name there.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { composeFaults, dockerfileFaults, kubernetesFaults, tunnelFaults } from './container-faults.ts';

const here = import.meta.dirname;
const read = (name: string): string => readFileSync(join(here, name), 'utf8');
const kubernetesFiles = readdirSync(join(here, 'kubernetes')).map((name) => join('kubernetes', name));

const check = (): number => {
  const faults = [
    ...composeFaults(parse(read('compose.yaml'), { merge: true })),
    ...kubernetesFaults(kubernetesFiles.flatMap((name) => parseAllDocuments(read(name)).map((one) => one.toJS()))),
    ...dockerfileFaults(read('Dockerfile')),
    ...tunnelFaults(read('tunnel/config.yaml')),
  ];
  process.stdout.write(faults.map((fault) => `${fault}\n`).join('') || 'nothing unsafe\n');
  return faults.length === 0 ? 0 : 1;
};

const digestOf = (image: string): string =>
  execFileSync('docker', ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'], {
    encoding: 'utf8',
  }).trim();

/** Where an image is named: with a tag, not yet pinned, and not one that the Dockerfile makes itself. */
const IMAGE = /(^FROM |image: )((?!packshot-origin)[a-z0-9./-]+:[\w.-]+)(?=\s)/gm;

const pin = (): number => {
  const digests = new Map<string, string>();
  for (const name of ['compose.yaml', 'Dockerfile', ...kubernetesFiles]) {
    const pinned = read(name).replace(IMAGE, (_all, before: string, image: string) => {
      const digest = digests.get(image) ?? digestOf(image);
      if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`no digest for ${image}: ${digest}`);
      digests.set(image, digest);
      return `${before}${image}@${digest}`;
    });
    writeFileSync(join(here, name), pinned);
  }
  for (const [image, digest] of digests) process.stdout.write(`${image} ${digest}\n`);
  return 0;
};

const { values } = parseArgs({ options: { pin: { type: 'boolean', default: false } } });
process.exitCode = values.pin ? pin() : check();
