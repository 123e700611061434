/**
 * `node test/support/readme-picture.ts`: starts the service, sends it scenes that this project renders and puts photo
 * and answer side by side into docs/before-after.jpg.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { UploadResponse, UploadResult } from '../../shared/api.ts';
import { temporarySystem, upload } from './local-system.ts';
import { renderScene, type SceneName } from './scenes.ts';

const SHOWN: readonly SceneName[] = ['mug', 'chair', 'shoe'];
const TILE = 420;
const GAP = 12;
const out = join(import.meta.dirname, '..', '..', 'docs', 'before-after.jpg');

const tile = (image: Uint8Array, column: number, row: number) =>
  sharp(image)
    .resize(TILE, row === 0 ? Math.round(TILE * 0.75) : TILE, { fit: 'cover' })
    .png()
    .toBuffer()
    .then((input) => ({ input, left: GAP + column * (TILE + GAP), top: GAP + row * (Math.round(TILE * 0.75) + GAP) }));

const system = await temporarySystem({ credits: SHOWN.length });
try {
  const photos = await Promise.all(
    SHOWN.map(async (name) => ({ name: `${name}.jpg`, bytes: await renderScene(name) })),
  );
  const { results } = (await (await upload(system.baseUrl, system.apiKey, photos)).json()) as UploadResponse;
  const answers = await Promise.all(
    (results as UploadResult[]).map(
      async ({ clean_url }) => new Uint8Array(await (await fetch(clean_url)).arrayBuffer()),
    ),
  );
  const tiles = await Promise.all([
    ...photos.map(({ bytes }, i) => tile(bytes, i, 0)),
    ...answers.map((bytes, i) => tile(bytes, i, 1)),
  ]);
  await mkdir(join(out, '..'), { recursive: true });
  await sharp({
    create: {
      width: GAP + SHOWN.length * (TILE + GAP),
      height: 3 * GAP + Math.round(TILE * 1.75),
      channels: 3,
      background: '#d8dade',
    },
  })
    .composite(tiles)
    .jpeg({ quality: 86 })
    .toFile(out);
} finally {
  await system.remove();
}
