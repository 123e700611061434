/** Images as a table for spreadsheets: one row an image, whatever became of it. */
import type { StatusImage } from '../../shared/api.ts';
import { CREDITS_PER_IMAGE } from '../../shared/credits.ts';
import type { LinkHolder } from '../../shared/signed-token.ts';
import type { Services } from '../ports.ts';
import { statusImage } from '../responses/image.ts';
import { csvOf } from './csv.ts';
import type { ShownImage } from './files.ts';

type Cell = string | number | null;
type Row = {
  readonly image: StatusImage;
  readonly originalName: string;
  readonly batchId: string;
  readonly credits: number;
};
type Done = Extract<StatusImage, { status: 'completed' }>;

const ofDone =
  (read: (image: Done) => Cell | undefined) =>
  ({ image }: Row): Cell =>
    image.status === 'completed' ? (read(image) ?? null) : null;

const columns: readonly (readonly [name: string, cell: (row: Row) => Cell])[] = [
  ['original_name', ({ originalName }) => originalName],
  ['status', ({ image }) => image.status],
  ['verdict', ofDone(({ review }) => review?.verdict)],
  ['reasons', ofDone(({ review }) => review?.reasons.map(({ detail }) => detail).join('; '))],
  ['error_code', ({ image }) => (image.status === 'failed' ? image.error.code : null)],
  ['error_detail', ({ image }) => (image.status === 'failed' ? image.error.detail : null)],
  ['credits', ({ credits }) => credits],
  ['filename', ofDone(({ filename }) => filename)],
  ['width', ofDone(({ width }) => width)],
  ['height', ofDone(({ height }) => height)],
  ['format', ofDone(({ format }) => format)],
  ['matte_confidence', ofDone(({ matte_confidence }) => matte_confidence)],
  ['amazon_compliant', ofDone(({ amazon_compliant }) => String(amazon_compliant))],
  [
    'marketplaces',
    ofDone(
      ({ compliance, outputs }) => outputs?.map(({ marketplace }) => marketplace).join(' ') ?? compliance.marketplace,
    ),
  ],
  ['sha256', ofDone(({ sha256 }) => sha256)],
  ['processing_ms', ofDone(({ processing_ms }) => processing_ms)],
  ['batch_id', ({ batchId }) => batchId],
  ['image_id', ({ image }) => image.image_id],
  ['download_url', ofDone(({ clean_download_url }) => clean_download_url)],
];

/** With a header row. `download_url` ends as every link does, with `madeFor`'s key. */
export const resultsCsv = async (
  services: Services,
  images: readonly ShownImage[],
  madeFor: LinkHolder,
): Promise<string> => {
  const rows = await Promise.all(images.map((shown) => rowOf(services, shown, madeFor)));
  return csvOf([columns.map(([name]) => name), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]);
};

const rowOf = async (services: Services, { batch, image }: ShownImage, madeFor: LinkHolder): Promise<Row> => ({
  image: await statusImage(services, batch, image, madeFor),
  originalName: image.isRemoved ? '' : image.originalName,
  batchId: batch.batchId,
  credits: batch.mode === 'live' && image.outcome?.status === 'completed' ? CREDITS_PER_IMAGE : 0,
});
