/** Messages between the page and the preview worker. */
import type { Compliance } from '../../../shared/api.ts';
import type { Finding } from '../../../shared/findings.ts';
import type { ResolvedOptions } from '../../../shared/options.ts';
import type { Detail } from './detail.ts';

export type Provider = 'webgpu' | 'wasm';
export type Wanted = Provider | 'auto';

export type ToWorker = {
  readonly kind: 'preview';
  readonly id: number;
  readonly file: Blob;
  readonly options: ResolvedOptions;
  readonly wanted: Wanted;
  readonly detail: Detail;
};

export type Preview = {
  /** Squares of straight RGBA, `canvas` px a side. */
  readonly before: ImageBitmap;
  readonly after: ImageBitmap;
  readonly canvas: number;
  readonly provider: Provider;
  readonly model: string;
  readonly inferMs: number;
  readonly totalMs: number;
  readonly compliance: Compliance;
  readonly confidence: number;
  readonly findings: readonly Finding[];
  /** A draft is not measured. */
  readonly isDraft: boolean;
};
export type FromWorker =
  | {
      readonly kind: 'progress';
      readonly id: number;
      readonly step: 'download' | 'compile' | 'work';
      readonly doneBytes: number;
      readonly totalBytes: number;
    }
  /** WebGPU was there but failed; the preview goes on with WASM. */
  | { readonly kind: 'fell_back'; readonly id: number; readonly why: string }
  | { readonly kind: 'done'; readonly id: number; readonly preview: Preview }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly code: string;
      readonly detail: string;
      /** What the runtime said, for whoever reports it. */
      readonly why?: string;
    };
