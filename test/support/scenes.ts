/**
 * Product photos rendered by the project: a product with exact alpha and colours, before a background with light,
 * texture and sensor noise. The same name and size give the same bytes.
 */
import sharp from 'sharp';
import { products } from './scene-products.ts';
import { type Room, rooms } from './scene-rooms.ts';

export type Scene = {
  readonly width: number;
  readonly height: number;
  /** The photo, interleaved sRGB. */
  readonly rgb: Uint8Array;
  /** The product's exact alpha and its own colours (anything where alpha is 0). */
  readonly alpha: Uint8Array;
  readonly foreground: Uint8Array;
};

const scenes = {
  mug: { product: 'mug', room: 'table' },
  chair: { product: 'chair', room: 'studio' },
  bottle: { product: 'bottle', room: 'cloth' },
  shoe: { product: 'shoe', room: 'concrete' },
  'white-cup': { product: 'whiteCup', room: 'white' },
  bag: { product: 'bag', room: 'green' },
} as const satisfies Record<string, { product: keyof typeof products; room: Room }>;

export type SceneName = keyof typeof scenes;
export const sceneNames = Object.keys(scenes) as readonly SceneName[];

export type SceneOptions = {
  /** Width of the photo, px; its height is three quarters of it. */
  readonly width?: number;
  /** Share of the frame's height that the product's drawing takes; 1 is as composed. */
  readonly scale?: number;
  readonly room?: Room;
};

/** The scene as a JPEG (quality 92, 4:4:4). */
export const renderScene = async (name: SceneName, options: SceneOptions = {}): Promise<Uint8Array> => {
  const { rgb, width, height } = await sceneWithTruth(name, options);
  return new Uint8Array(
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
      .toBuffer(),
  );
};

/** The scene with its exact matte and colours. */
export const sceneWithTruth = async (
  name: SceneName,
  { width = 1200, scale = 1, room }: SceneOptions = {},
): Promise<Scene> => {
  const scene = scenes[name];
  const height = Math.round((width * 3) / 4);
  const [product, background] = await Promise.all([
    renderProduct(products[scene.product], width, height, scale),
    renderRoom(room ?? scene.room, width, height),
  ]);
  const mixed = Float64Array.from(background);
  const { alpha, foreground } = laidOver(mixed, product);
  const rgb = withSensorNoise(mixed, random(name.length * 7919 + width));
  return { width, height, rgb, alpha, foreground };
};

/** Two products side by side in one room, `apart` px of the board of 1200 × 900 between their centres. */
export const sceneOfTwo = async (
  names: readonly [SceneName, SceneName],
  { room, scale = 0.5, apart = 620 }: { readonly room: Room; readonly scale?: number; readonly apart?: number },
): Promise<Size & { readonly rgb: Uint8Array; readonly alphas: readonly [Uint8Array, Uint8Array] }> => {
  const [width, height] = [1600, 1200];
  const mixed = Float64Array.from(await renderRoom(room, width, height));
  const draw = async (name: SceneName, x: number): Promise<Uint8Array> =>
    laidOver(mixed, await renderProduct(products[scenes[name].product], width, height, scale, x)).alpha;
  const left = await draw(names[0], -apart / 2);
  const right = await draw(names[1], apart / 2);
  const noise = random(names.join().length * 7919 + room.length);
  return { width, height, rgb: withSensorNoise(mixed, noise), alphas: [left, right] };
};

type Size = { readonly width: number; readonly height: number };

/** Lays a picture with alpha over `ground`, in place, and answers its alpha and its own colours. */
const laidOver = (ground: Float64Array, rgba: Uint8Array): Pick<Scene, 'alpha' | 'foreground'> => {
  const alpha = new Uint8Array(rgba.length / 4);
  const foreground = new Uint8Array(alpha.length * 3);
  for (let i = 0; i < alpha.length; i++) {
    const a = rgba[i * 4 + 3]!;
    alpha[i] = a;
    for (let c = 0; c < 3; c++) {
      foreground[i * 3 + c] = rgba[i * 4 + c]!;
      ground[i * 3 + c] = (rgba[i * 4 + c]! * a + ground[i * 3 + c]! * (255 - a)) / 255;
    }
  }
  return { alpha, foreground };
};

const withSensorNoise = (exact: Float64Array, noise: () => number): Uint8Array =>
  Uint8Array.from(exact, (value) => Math.max(0, Math.min(255, Math.round(value + (noise() + noise() - 1) * 2.5))));

/** A photo without any product: a wall, a gradient, sensor noise, a weave. PNG. */
export const renderEmpty = async (
  kind: 'plain' | 'gradient' | 'noise' | 'weave',
  width = 800,
  height = 600,
): Promise<Uint8Array> => {
  const noise = random(17);
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i += 3) {
      const grain = (noise() - 0.5) * 4;
      const level =
        kind === 'plain'
          ? 201 + grain
          : kind === 'gradient'
            ? 120 + (100 * x) / width + (30 * y) / height + grain
            : kind === 'noise'
              ? noise() * 255
              : 150 + 18 * Math.sin(x * 0.7) * Math.sin(y * 0.7) + grain;
      rgb.fill(Math.round(level), i, i + 3);
    }
  }
  return new Uint8Array(
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
};

/** Products are drawn on a board of 1200 × 900. */
const renderProduct = async (svg: string, width: number, height: number, scale: number, x = 0): Promise<Uint8Array> => {
  const board = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 1200 900"><g transform="translate(${600 + x} 450) scale(${scale}) translate(-600 -450)">${svg}</g></svg>`;
  return sharp(Buffer.from(board)).ensureAlpha().raw().toBuffer();
};

const renderRoom = async (room: Room, width: number, height: number): Promise<Uint8Array> => {
  const board = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 1200 900" preserveAspectRatio="none">${rooms[room].svg}</svg>`;
  const { texture } = rooms[room];
  const pixels = await sharp(Buffer.from(board)).flatten({ background: '#ffffff' }).removeAlpha().raw().toBuffer();
  if (texture === 0) return pixels;
  const noise = random(room.length * 104729);
  // Coarse grain: noise at a third of the size, enlarged, so that it reads as a surface and not as a sensor's noise.
  const [w, h] = [Math.ceil(width / 3), Math.ceil(height / 3)];
  const grain = Uint8Array.from({ length: w * h }, () => Math.floor(noise() * 256));
  const grains = await sharp(grain, { raw: { width: w, height: h, channels: 1 } })
    .resize(width, height, { fit: 'fill' })
    .blur(1)
    .extractChannel(0)
    .raw()
    .toBuffer();
  return pixels.map((value, i) => Math.max(0, Math.min(255, value + ((grains[(i / 3) | 0]! - 128) / 128) * texture)));
};

/** Numbers in 0..1 from a seed (mulberry32). */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};
