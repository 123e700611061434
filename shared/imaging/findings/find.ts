/** All findings about a photo. */
import type { Finding } from '../../findings.ts';
import { alreadyWhite } from './already-white.ts';
import { borderOrFrame } from './border.ts';
import { collage } from './collage.ts';
import type { Evidence } from './evidence.ts';
import { looksLikeScreenshot } from './looks-like-screenshot.ts';
import { lowConfidence } from './low-confidence.ts';
import { personInPhoto } from './person-in-photo.ts';
import { productCropped } from './product-cropped.ts';
import { severalProducts } from './several-products.ts';
import { sourceBlurred } from './source-blurred.ts';
import { sourceTooSmall } from './source-too-small.ts';
import { textOverlay } from './text-overlay.ts';

type Find = (evidence: Evidence) => Finding | undefined;
const finders: readonly Find[] = [
  productCropped,
  textOverlay,
  sourceBlurred,
  sourceTooSmall,
  borderOrFrame,
  collage,
  looksLikeScreenshot,
  severalProducts,
  personInPhoto,
  lowConfidence,
  alreadyWhite,
];
/** What these find depends on the options too; the rest is of the photo alone. */
const ofOptions: ReadonlySet<Find> = new Set([sourceTooSmall, alreadyWhite]);

/** What each finder found. */
export type Found = ReadonlyMap<Find, Finding | undefined>;

/** `before`: of the same photo with other options, of which only what depends on those is looked for again. */
export const findEach = (evidence: Evidence, before?: Found): Found =>
  new Map(finders.map((find) => [find, before && !ofOptions.has(find) ? before.get(find) : find(evidence)]));

/** What a marketplace refuses comes first. */
export const inOrder = (found: Found): Finding[] =>
  Array.from(found.values())
    .flatMap((finding) => finding ?? [])
    .sort((a, b) => order[a.severity] - order[b.severity]);

export const findAll = (evidence: Evidence): Finding[] => inOrder(findEach(evidence));

const order = { required: 0, recommended: 1, info: 2 } as const;
