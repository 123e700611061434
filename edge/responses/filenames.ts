/**
 * Names of result files: from the caller's own name, safe in a URL, a header and on any disk, unique within a batch.
 * Pure.
 */

const STEM_CHARS_MAX = 80;

/**
 * Letters and digits of any script, and . _ - only; spaces become hyphens. Path, drive and extension go. `image` where
 * nothing is left.
 */
const stemOf = (originalName: string): string => {
  const base = originalName.split(/[\\/]/).at(-1) ?? '';
  const stem = base.replace(/\.[A-Za-z0-9]{1,5}$/, '').normalize('NFC');
  const safe = stem
    .replace(/[^\p{L}\p{N}\p{M}._-]+/gu, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  return Array.from(safe).slice(0, STEM_CHARS_MAX).join('') || 'image';
};

/** One name per image, in order. Doubles get -2, -3 …, told apart without regard to case. */
export const resultFilenames = (originalNames: readonly string[], extension: string): string[] => {
  const taken = new Set<string>();
  return originalNames.map((originalName) => {
    const stem = stemOf(originalName);
    let name = `${stem}.${extension}`;
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${stem}-${n}.${extension}`;
    taken.add(name.toLowerCase());
    return name;
  });
};

/** "shoe.jpg" → "shoe-preview.jpg" */
export const previewFilename = (filename: string, extension: string): string =>
  `${filename.slice(0, filename.lastIndexOf('.'))}-preview.${extension}`;

/** Last part of a URL's path, as the name of an image that was given none. */
export const nameFromUrl = (url: string): string => {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const last = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
};
