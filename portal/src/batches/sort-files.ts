/** Which files are photos, by their first bytes and their size; the service would refuse the others one by one. */
import { HEIC_REFUSAL, isHeic, SNIFF_BYTES, sniffImage } from '../../../shared/image-type.ts';
import { limits } from '../../../shared/limits.ts';
import type { Dropped } from './read-drop.ts';

export type LeftOut = { readonly name: string; readonly reason: string };
export type Sorted = { readonly photos: readonly File[]; readonly leftOut: readonly LeftOut[]; readonly name: string };

/** What systems leave in folders is no photo that somebody meant. */
const isHidden = ({ name }: File): boolean => name.startsWith('.') || /^(thumbs\.db|desktop\.ini)$/i.test(name);
const natural = new Intl.Collator('en', { numeric: true });
const pathOf = (file: File): string => file.webkitRelativePath || file.name;

/** `takesHeic`: the service does. */
export const sortFiles = async ({ files, name }: Dropped, takesHeic: boolean): Promise<Sorted> => {
  const meant = files.filter((file) => !isHidden(file)).sort((a, b) => natural.compare(pathOf(a), pathOf(b)));
  const photos: File[] = [];
  const leftOut: LeftOut[] = [];
  for (const file of meant) {
    const reason =
      (await reasonAgainst(file, takesHeic)) ?? (photos.length === limits.folders.photosMax ? TOO_MANY : undefined);
    if (reason === undefined) photos.push(file);
    else leftOut.push({ name: file.name, reason });
  }
  return { photos, leftOut, name: name ?? `Photos of ${new Date().toLocaleDateString('en-GB')}` };
};

const TOO_MANY = `a batch takes ${limits.folders.photosMax} photos; start another one with the rest`;
const BYTES_MAX = limits.upload.fileBytesMax;

const reasonAgainst = async (file: File, takesHeic: boolean): Promise<string | undefined> => {
  if (file.size === 0) return 'empty';
  if (file.size > BYTES_MAX) return `larger than ${BYTES_MAX / 1e6} MB`;
  try {
    const bytes = new Uint8Array(await file.slice(0, SNIFF_BYTES).arrayBuffer());
    if (sniffImage(bytes)) return undefined;
    if (!isHeic(bytes)) return 'not a photo that the service takes';
    return takesHeic ? undefined : HEIC_REFUSAL;
  } catch {
    return 'cannot be read';
  }
};
