/** All findings about a photo. */
import type { Finding } from '../../findings.ts';
import { alreadyWhite } from './already-white.ts';
import { borderOrFrame } from './border.ts';
import { collage } from './collage.ts';
import type { Evidence } from './evidence.ts';
import { looksLikeScreenshot } from './looks-like-screenshot.ts';
import { lowConfidence } from './low-confidence.ts';
import { productCropped } from './product-cropped.ts';
import { severalProducts } from './several-products.ts';
import { sourceBlurred } from './source-blurred.ts';
import { sourceTooSmall } from './source-too-small.ts';
import { textOverlay } from './text-overlay.ts';

const finders: readonly ((evidence: Evidence) => Finding | undefined)[] = [
  productCropped,
  textOverlay,
  sourceBlurred,
  sourceTooSmall,
  borderOrFrame,
  collage,
  looksLikeScreenshot,
  severalProducts,
  lowConfidence,
  alreadyWhite,
];

/** What a marketplace refuses comes first. */
export const findAll = (evidence: Evidence): Finding[] =>
  finders.flatMap((find) => find(evidence) ?? []).sort((a, b) => order[a.severity] - order[b.severity]);

const order = { required: 0, recommended: 1, info: 2 } as const;
