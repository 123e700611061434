/**
 * Names of result files: from the caller's own name, safe in a URL, a header and on any disk, unique within a batch.
 * Pure.
 */

import { extensionOf, outputsOf, type ResolvedOptions, type ResolvedOutput } from '../../shared/options.ts';

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

/** The file of a further marketplace: "shoe.jpg" → "shoe-walmart.jpg". */
export const outputFilename = (
  filename: string,
  { marketplace, format }: Pick<ResolvedOutput, 'marketplace' | 'format'>,
) => `${stemOfFile(filename)}-${marketplace}.${format}`;

/**
 * One name per image, in order, of its first file. Doubles get -2, -3 …, told apart without regard to case; so do those of
 * which a further file would bear another's name.
 */
export const resultFilenames = (originalNames: readonly string[], options: ResolvedOptions): string[] => {
  const taken = new Set<string>();
  const [, ...others] = outputsOf(options);
  return originalNames.map((originalName) => {
    const stem = stemOf(originalName);
    for (let n = 1; ; n++) {
      const name = `${stem}${n === 1 ? '' : `-${n}`}.${extensionOf(options)}`;
      const names = [name, ...others.map((other) => outputFilename(name, other))].map((one) => one.toLowerCase());
      if (names.some((one) => taken.has(one))) continue;
      for (const one of names) taken.add(one);
      return name;
    }
  });
};

/** "shoe.jpg" → "shoe-preview.jpg" */
export const previewFilename = (filename: string, extension: string): string =>
  `${stemOfFile(filename)}-preview.${extension}`;

const stemOfFile = (filename: string): string => filename.slice(0, filename.lastIndexOf('.'));

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
