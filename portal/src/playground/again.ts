/** A request of the log, taken into the playground: its options and, while it is kept, its photo. By the query alone. */
import { type MarketplaceName, marketplaces, type OutputFormat } from '../../../shared/marketplaces/index.ts';
import { PORTAL_API } from '../api.ts';
import { type Choice, firstChoice } from './options.ts';

type Fields = Readonly<Record<string, string>>;

/** Options that the playground has none of its own for; a box belongs to the photo on which it was drawn. */
const LEFT_OUT = ['layout', 'quality', 'provenance', 'on_finding', 'region'];
const isSquare = (canvas: string): boolean => /^\d+$/.test(canvas);
const isLeftOut = ([name, value]: readonly [string, string]): boolean =>
  LEFT_OUT.includes(name) || (name === 'canvas' && !isSquare(value));

/** Names of the options of a request that do not come along. */
export const leftOut = (fields: Fields): readonly string[] =>
  Object.entries(fields)
    .filter(isLeftOut)
    .map(([name]) => name);

/** `photo`: the request's first photo is kept. */
export const againPath = (requestId: string, fields: Fields, photo: boolean): string => {
  const kept = Object.entries(fields).filter((field) => !isLeftOut(field));
  return `/playground?${new URLSearchParams([...kept, ...(photo ? [['request', requestId]] : [])] as string[][])}`;
};

const isMarketplace = (name: string): name is MarketplaceName => Object.hasOwn(marketplaces, name);
const isFormat = (text: string | undefined): text is OutputFormat =>
  text === 'jpg' || text === 'png' || text === 'webp';

/** What the query asks for; whatever it holds that is no option is as if it were not there. */
export const choiceOf = (query: Fields): Choice => {
  const names = (query['marketplaces'] ?? query['marketplace'] ?? '').split(',').filter(isMarketplace);
  const [marketplace = firstChoice.marketplace, ...further] = new Set(names);
  const [canvas, fill] = [Number(query['canvas'] ?? Number.NaN), Number(query['fill'] ?? Number.NaN)];
  const background = query['background'] ?? '';
  return {
    marketplace,
    further,
    background: /^(transparent|#[0-9a-f]{6})$/.test(background) ? background : firstChoice.background,
    shadow: query['shadow'] === 'soft' ? 'soft' : 'none',
    ...(Number.isInteger(canvas) ? { canvas } : {}),
    ...(fill > 0 && fill <= 1 ? { fill } : {}),
    ...(isFormat(query['format']) ? { format: query['format'] } : {}),
  };
};

/** The photo of the request that the query names, as a file; undefined where it is not kept any more. */
export const photoOf = async (query: Fields): Promise<File | undefined> => {
  const requestId = query['request'] ?? '';
  if (!/^req_[0-9a-z]{26}$/.test(requestId)) return undefined;
  const answer = await fetch(`${PORTAL_API}/logs/${requestId}/inputs/0`);
  if (!answer.ok) return undefined;
  const photo = await answer.blob();
  return new File([photo], `photo.${photo.type.replace(/^image\/(jpeg)?/, '') || 'jpg'}`, { type: photo.type });
};
