/**
 * `npm run bench -- findings [FOLDER] [--paid] [--seeds 1] [--kinds a,b] [--all]`: recall and false alarms of each
 * finding on the half of the known photos that no threshold was chosen on; of seeds that nothing was chosen on, both
 * halves (`--all`). With a folder, the findings on its photos. `--paid` makes each photo's result too and says what share
 * of the call the findings took; without it photos are checked as `POST /v1/checks` does.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { monotonicClock } from '../../origin/clock.ts';
import { decode } from '../../origin/pipeline/decode.ts';
import { checkReduced, reducePhoto } from '../../origin/pipeline/findings/check-photo.ts';
import { makeMainImage } from '../../origin/pipeline/index.ts';
import { type Finding, type FindingCode, findingCodes } from '../../shared/findings.ts';
import { resolveOptions } from '../../shared/options.ts';
import { knownPhotos, type Selection } from '../support/findings/photos.ts';
import { loadDetectors, loadInfer } from '../support/infer.ts';
import { median, sum } from './statistics.ts';

type Looked = { readonly findings: readonly Finding[]; readonly ms: number; readonly findingsMs: number };
type Look = (bytes: Uint8Array) => Promise<Looked | string>;

/** Fails with the code of what the photo was refused for. */
const createLook = async (isPaid: boolean): Promise<Look> => {
  const options = resolveOptions({});
  if (!options.ok) throw new Error(options.failure.detail);
  const { infer } = await loadInfer();
  const detectors = await loadDetectors();
  return async (bytes) => {
    const startedAtMs = performance.now();
    if (isPaid) {
      const input = { bytes, options: options.value, watermark: false };
      const image = await makeMainImage(input, { decode, infer, detectors, clock: monotonicClock });
      if (!image.ok) return image.failure.code;
      const { findings, stagesMs } = image.value;
      return { findings, ms: performance.now() - startedAtMs, findingsMs: stagesMs['findings'] ?? 0 };
    }
    const reduced = await reducePhoto(bytes, decode);
    if (!reduced.ok) return reduced.failure.code;
    const report = await checkReduced(reduced.value, options.value, { infer, ...detectors });
    if (!report.ok) return report.failure.code;
    return { findings: report.value.findings, ms: performance.now() - startedAtMs, findingsMs: 0 };
  };
};

type Tally = { wanted: number; found: number; clean: number; falseAlarms: string[]; missed: string[] };

type Known = { readonly seeds: readonly number[]; readonly selection: Selection };

async function* photosOf({ seeds, selection }: Known) {
  for (const seed of seeds)
    for await (const photo of knownPhotos(seed, selection)) yield { ...photo, name: `${seed}/${photo.name}` };
}

const measureKnown = async (known: Known, look: Look, times: Looked[]): Promise<void> => {
  const tallies = new Map<FindingCode, Tally>(
    findingCodes.map((code) => [code, { wanted: 0, found: 0, clean: 0, falseAlarms: [], missed: [] }]),
  );
  let photos = 0;
  for await (const { name, bytes, expected, either } of photosOf(known)) {
    const looked = await look(bytes);
    photos++;
    if (typeof looked !== 'string') times.push(looked);
    const codes = new Set(typeof looked === 'string' ? [] : looked.findings.map(({ code }) => code));
    for (const [code, tally] of tallies) {
      if (expected.includes(code)) {
        tally.wanted++;
        if (codes.has(code)) tally.found++;
        else tally.missed.push(name);
      } else if (!either.includes(code)) {
        tally.clean++;
        if (codes.has(code)) tally.falseAlarms.push(name);
      }
    }
  }
  console.log(
    `${photos} photos, seeds ${known.seeds.join(', ')}\n\n| finding | recall | false alarms | missed | false alarms on |\n|---|---|---|---|---|`,
  );
  for (const [code, { wanted, found, clean, falseAlarms, missed }] of tallies)
    console.log(
      `| ${code} | ${wanted ? `${found}/${wanted}` : '–'} | ${falseAlarms.length}/${clean} | ${missed.join(' ')} | ${falseAlarms.join(' ')} |`,
    );
};

const measureFolder = async (folder: string, look: Look, times: Looked[]): Promise<void> => {
  const names = (await readdir(folder)).filter((name) => /\.(jpe?g|png|webp|avif|tiff?|gif)$/i.test(name)).sort();
  const counts = new Map<FindingCode, number>();
  for (const name of names) {
    const looked = await look(new Uint8Array(await readFile(join(folder, name))));
    if (typeof looked === 'string') {
      console.log(`${name}: refused, ${looked}`);
      continue;
    }
    times.push(looked);
    for (const { code } of looked.findings) counts.set(code, (counts.get(code) ?? 0) + 1);
    console.log(`${name}: ${looked.findings.map(({ code, detail }) => `${code} [${detail}]`).join('; ') || 'nothing'}`);
  }
  console.log(`\n${names.length} photos: ${Array.from(counts, ([code, count]) => `${code} ${count}`).join(', ')}`);
};

export const main = async (args: string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args,
    options: {
      paid: { type: 'boolean', default: false },
      seeds: { type: 'string', default: '1' },
      kinds: { type: 'string' },
      all: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const look = await createLook(values.paid);
  const times: Looked[] = [];
  const [folder] = positionals;
  const known: Known = {
    seeds: values.seeds.split(',').map(Number),
    selection: {
      ...(values.all ? {} : { half: 'measured' as const }),
      ...(values.kinds ? { kinds: values.kinds.split(',') } : {}),
    },
  };
  await (folder === undefined ? measureKnown(known, look, times) : measureFolder(folder, look, times));
  console.log(`\nmedian ${median(times.map(({ ms }) => ms)).toFixed(0)} ms a photo`);
  if (!values.paid) return;
  const [whole, findings] = [sum(times.map(({ ms }) => ms)), sum(times.map(({ findingsMs }) => findingsMs))];
  console.log(`findings took ${((100 * findings) / (whole - findings)).toFixed(1)} % of the time of the rest`);
};
