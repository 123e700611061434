import { describe, expect, it } from 'vitest';
import { isHeic, SNIFF_BYTES, sniffImage } from '../../shared/image-type.ts';
import { heads, notAccepted } from '../support/hostile-images.ts';
import { heicHeads, imageHeads, notImages } from '../support/image-heads.ts';

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

describe('an image is known by the structure of its first bytes', () => {
  it.each(Object.entries(imageHeads))('%s', (type, bytes) => {
    expect(sniffImage(bytes)).toBe(type);
    expect(sniffImage(bytes.subarray(0, SNIFF_BYTES))).toBe(type);
  });

  it.each([
    ['JPEG', 4],
    ['PNG', 8],
    ['WebP', 12],
    ['GIF', 6],
    ['TIFF', 4],
    ['AVIF', 24],
    ['BMP', 54],
    ['Photoshop', 26],
    ['JXL', 12],
  ] as const)('a %s that was cut off early is still one', (format, bytes) => {
    expect(sniffImage(latin1(heads[format]).subarray(0, bytes))).toMatch(new RegExp(`[/.]${format}$`, 'i'));
  });

  it.each(Object.entries(heicHeads))('a HEIC %s is told from an AVIF and from everything else', (_, bytes) => {
    expect(sniffImage(bytes)).toBeUndefined();
    expect(isHeic(bytes)).toBe(true);
    expect(isHeic(bytes.subarray(0, SNIFF_BYTES))).toBe(true);
  });

  it('no AVIF is a HEIC, though it shares the brand mif1, and no brand outside the box makes one', () => {
    expect(isHeic(imageHeads['image/avif'])).toBe(false);
    expect(isHeic(latin1('\0\0\0\x14ftypisom\0\0\0\0isomheic'))).toBe(false);
    expect(isHeic(latin1('<!--ftypheic--><svg/>'))).toBe(false);
  });

  it.each(Object.entries({ ...notAccepted, ...notImages }))('%s is none', (_, bytes) => {
    expect(sniffImage(bytes)).toBeUndefined();
    expect(isHeic(bytes)).toBe(false);
  });

  it.each([0x00, 0x01, 0x3c, 0xbf, 0xd0, 0xd8, 0xd9])('a JPEG whose first marker is %i is none', (marker) => {
    expect(sniffImage(Uint8Array.of(0xff, 0xd8, 0xff, marker, 0, 16))).toBeUndefined();
  });

  it('a brand counts only inside the box and at a brand, not anywhere in the bytes', () => {
    expect(sniffImage(latin1('\0\0\0\x14ftypmif1\0\0\0\0mif1avif'))).toBeUndefined();
    expect(sniffImage(latin1('\0\0\0\x18ftypmif1avifmif1mif1'))).toBeUndefined();
    expect(sniffImage(latin1('\0\0\0\x18ftypmif1\0\0\0\0miavifmi'))).toBeUndefined();
    expect(sniffImage(latin1('\0\0\0\x18ftypmif1\0\0\0\0mif1avis'))).toBe('image/avif');
  });
});
