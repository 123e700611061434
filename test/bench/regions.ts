/**
 * `npm run bench -- regions [--scenes 30] [--apart 620]`: rendered scenes of two products, of which `region` chooses one,
 * once drawn tight and once with room (a fifth of its longer side). Prints how well the chosen one is cut out (IoU with
 * its exact matte) and how much of the other came along.
 */
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { monotonicClock } from '../../origin/clock.ts';
import { decode } from '../../origin/pipeline/decode.ts';
import { type Infer, makeMainImage } from '../../origin/pipeline/index.ts';
import { boundingBox, expandBox, longerSide, snapOutward } from '../../shared/imaging/box.ts';
import { resolveOptions } from '../../shared/options.ts';
import { loadInfer } from '../support/infer.ts';
import { roomNames } from '../support/scene-rooms.ts';
import { type SceneName, sceneNames, sceneOfTwo } from '../support/scenes.ts';
import { mean } from './statistics.ts';

const ROOM_AROUND = [0, 0.2] as const;
const IOU_MIN = 0.95;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

type Scene = Awaited<ReturnType<typeof sceneOfTwo>>;
type Outcome = { readonly iou: number; readonly other: number; readonly findings: string };

const regionOf = ({ width, height, alphas }: Scene, chosen: 0 | 1, roomAround: number): string => {
  const box = boundingBox({ data: alphas[chosen], width, height }, 26);
  if (!box) throw new Error('a scene without its product');
  const { x, y, ...size } = snapOutward(expandBox(box, roomAround * longerSide(box)), { width, height });
  return [x, y, size.width, size.height].join();
};

const cutOut = async (scene: Scene, chosen: 0 | 1, region: string, infer: Infer): Promise<Outcome> => {
  const { width, height } = scene;
  const photo = await sharp(scene.rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  const options = resolveOptions({ layout: 'original', background: 'transparent', format: 'png', region });
  if (!options.ok) throw new Error(options.failure.detail);
  const input = { bytes: new Uint8Array(photo), options: options.value, watermark: false };
  const made = await makeMainImage(input, { decode, infer, clock: monotonicClock });
  if (!made.ok) return { iou: 0, other: 0, findings: made.failure.code };
  const alpha = await sharp(made.value.clean).ensureAlpha().extractChannel(3).raw().toBuffer();
  const wanted = scene.alphas[chosen];
  const unwanted = scene.alphas[chosen === 0 ? 1 : 0];
  let [both, either, ofOther, others] = [0, 0, 0, 0];
  alpha.forEach((value, i) => {
    const [isFound, isWanted, isOther] = [value > 127, wanted[i]! > 127, unwanted[i]! > 127];
    if (isFound && isWanted) both++;
    if (isFound || isWanted) either++;
    if (isOther && !isWanted) others++;
    if (isOther && !isWanted && isFound) ofOther++;
  });
  return { iou: both / either, other: ofOther / others, findings: made.value.findings.map(({ code }) => code).join() };
};

export const main = async (args: string[]): Promise<void> => {
  const { values } = parseArgs({ args, options: { scenes: { type: 'string' }, apart: { type: 'string' } } });
  const apart = Number(values.apart ?? 620);
  const pairs = sceneNames.flatMap((a) => sceneNames.filter((b) => b !== a).map((b): [SceneName, SceneName] => [a, b]));
  const { infer } = await loadInfer();
  const outcomes = new Map<number, Outcome[]>(ROOM_AROUND.map((roomAround) => [roomAround, []]));
  for (const [i, names] of pairs.slice(0, Number(values.scenes ?? pairs.length)).entries()) {
    const room = roomNames[i % roomNames.length] ?? 'table';
    const chosen = i % 2 === 0 ? 0 : 1;
    const scene = await sceneOfTwo(names, { room, apart });
    for (const [roomAround, list] of outcomes) {
      const outcome = await cutOut(scene, chosen, regionOf(scene, chosen, roomAround), infer);
      list.push(outcome);
      if (outcome.iou < IOU_MIN || outcome.other > 0)
        say(
          `${names[chosen]} of ${names.join(' and ')}, ${room}, ${roomAround}: IoU ${outcome.iou.toFixed(3)}, other ${outcome.other.toFixed(3)} ${outcome.findings}`,
        );
    }
  }
  for (const [roomAround, list] of outcomes)
    say(
      `room of ${roomAround * 100} % around: ${list.length} scenes, IoU mean ${mean(list.map(({ iou }) => iou)).toFixed(4)}, least ${Math.min(...list.map(({ iou }) => iou)).toFixed(3)}; something of the other product in ${list.filter(({ other }) => other > 0).length}`,
    );
};
