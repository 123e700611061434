/** Messages between the page and the preview worker. */
import type { Compliance } from '../../../shared/api.ts';
import type { Finding } from '../../../shared/findings.ts';
import type { Box, Size } from '../../../shared/imaging/raster.ts';
import type { MarketplaceName } from '../../../shared/marketplaces/index.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import type { Plan } from '../components/plan.ts';
import type { Detail } from './detail.ts';

export type Provider = 'webgpu' | 'wasm';
export type Wanted = Provider | 'auto';

/** A photo and how it is to be seen; while these stay the same, only pictures are made anew. */
export type Sight = {
  /** Another one for each photo. */
  readonly photoId: string;
  readonly file: Blob;
  readonly wanted: Wanted;
  readonly detail: Detail;
};
export type ToWorker = Sight & {
  readonly id: number;
  /** The first is the one that is shown large. They share their region. */
  readonly outputs: readonly [ResolvedOptions, ...ResolvedOptions[]];
};

/** What is the same for all pictures of a photo. */
export type PhotoFacts = {
  readonly photoId: string;
  readonly photo: Size;
  /** px of the photo, not rounded. */
  readonly productInPhoto: Box;
  readonly confidence: number;
  readonly provider: Provider;
  readonly model: string;
  readonly inferMs: number;
  readonly totalMs: number;
  /** A draft is not measured. */
  readonly isDraft: boolean;
};

/** What was measured of one picture, in px of the real file. */
export type Report = {
  readonly marketplace: MarketplaceName;
  readonly compliance: Compliance;
  readonly findings: readonly Finding[];
  readonly plan: Plan;
};

/** What happens to a photo, in this order; `passes` is said once for each run of the model. */
export const steps = ['download', 'compile', 'read', 'passes', 'edges', 'findings'] as const;
export type Step = (typeof steps)[number];

export type FromWorker =
  | {
      readonly kind: 'progress';
      readonly id: number;
      readonly step: Step;
      /** Of a download. */
      readonly doneBytes?: number;
      readonly totalBytes?: number;
      /** Which run of the model it is, from 1. */
      readonly pass?: number;
    }
  /** WebGPU was there but failed; the preview goes on with WASM. */
  | { readonly kind: 'fell_back'; readonly id: number; readonly why: string }
  /** The large picture. */
  | {
      readonly kind: 'made';
      readonly id: number;
      readonly facts: PhotoFacts;
      readonly report: Report;
      readonly picture: ImageBitmap;
    }
  /** One of the small ones, of the large one too where there are several. */
  | { readonly kind: 'small'; readonly id: number; readonly report: Report; readonly picture: ImageBitmap }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly code: string;
      readonly detail: string;
      /** What the runtime said, for whoever reports it. */
      readonly why?: string;
    };
