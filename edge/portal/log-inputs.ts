/** The photo behind a result, for its owner, for as long as the account's retention leaves it. */
import { type ImageType, SNIFF_BYTES, sniffImage } from '../../shared/image-type.ts';
import type { Snapshot } from '../batch/port.ts';
import type { Services } from '../ports.ts';
import { inputKey } from '../stores/object-keys.ts';

type Objects = Pick<Services, 'objects'>;

/** Types that every browser shows. */
const SHOWN: ReadonlySet<ImageType> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);

/** By its first bytes; undefined where it is not there, was deleted, or is of a type that browsers do not show. */
export const shownInputType = async (
  { objects }: Objects,
  { batchId, images }: Pick<Snapshot, 'batchId' | 'images'>,
  index: number,
): Promise<ImageType | undefined> => {
  const image = images[index];
  if (!image || image.isRemoved) return undefined;
  const head = await objects.read(inputKey(batchId, index), { first: 0, last: SNIFF_BYTES - 1 });
  if (!head) return undefined;
  const type = sniffImage(new Uint8Array(await new Response(head).arrayBuffer()));
  return type && SHOWN.has(type) ? type : undefined;
};

/** The whole of it; undefined as above. */
export const shownInput = async (
  services: Objects,
  batch: Pick<Snapshot, 'batchId' | 'images'>,
  index: number,
): Promise<Response | undefined> => {
  const type = await shownInputType(services, batch, index);
  const body = type && (await services.objects.read(inputKey(batch.batchId, index)));
  return body ? new Response(body, { headers: { 'content-type': type } }) : undefined;
};
