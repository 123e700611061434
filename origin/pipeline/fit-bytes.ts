/** The quality at which a file keeps within the bytes that a marketplace takes. */

export type Bounds = {
  readonly bytesMin: number;
  readonly bytesMax: number;
  /** What was asked for, and between which it may be moved; all the same for a format without a quality. */
  readonly quality: number;
  readonly qualityMin: number;
  readonly qualityMax: number;
};
/** `fits: false`: the smallest file that may be written is too large. */
export type Fitted = { readonly fits: boolean; readonly bytes: Uint8Array };

/**
 * The file at the highest quality, up to the one asked for, that keeps within `bytesMax`; at `qualityMax` where it
 * would have fewer than `bytesMin`. Writes once where the first file fits, else about six times.
 */
export const fitBytes = async (
  write: (quality: number) => Promise<Uint8Array>,
  { bytesMin, bytesMax, quality, qualityMin, qualityMax }: Bounds,
): Promise<Fitted> => {
  const first = await write(quality);
  if (first.byteLength > bytesMax) return reduced(write, first, { bytesMax, quality, qualityMin });
  if (first.byteLength >= bytesMin || quality === qualityMax) return { fits: true, bytes: first };
  const best = await write(qualityMax);
  return { fits: true, bytes: best.byteLength <= bytesMax ? best : first };
};

const reduced = async (
  write: (quality: number) => Promise<Uint8Array>,
  tooLarge: Uint8Array,
  { bytesMax, quality, qualityMin }: Pick<Bounds, 'bytesMax' | 'quality' | 'qualityMin'>,
): Promise<Fitted> => {
  if (quality === qualityMin) return { fits: false, bytes: tooLarge };
  let best = await write(qualityMin);
  if (best.byteLength > bytesMax) return { fits: false, bytes: best };
  let [low, high] = [qualityMin, quality];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const bytes = await write(middle);
    if (bytes.byteLength <= bytesMax) [low, best] = [middle, bytes];
    else high = middle;
  }
  return { fits: true, bytes: best };
};
