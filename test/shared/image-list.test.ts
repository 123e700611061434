import { describe, expect, it } from 'vitest';
import { IMAGE_LIST, IMAGE_LIST_CHARS_MAX, imageList, imagesIn } from '../../shared/image-list.ts';

describe('a list of images', () => {
  it.each([
    [[0], '0'],
    [[0, 1, 2, 3, 4, 5, 7], '0-5,7'],
    [[9, 3, 4], '3-4,9'],
    [[998, 999], '998-999'],
  ])('%j is written as %s and read back in order', (indexes, text) => {
    expect(imageList(indexes)).toBe(text);
    expect(text).toMatch(IMAGE_LIST);
    expect(imagesIn(text)).toEqual(indexes.toSorted((a, b) => a - b));
  });

  it('of every second of 1,000 images is no longer than a line may be', () => {
    const text = imageList(Array.from({ length: 500 }, (_, i) => 2 * i + 1));
    expect(text.length).toBeLessThanOrEqual(IMAGE_LIST_CHARS_MAX);
    expect(imagesIn(text)).toHaveLength(500);
  });

  it.each(['', '1-', '-1', '1,,2', '1000', 'a'])('%j is none', (text) => expect(text).not.toMatch(IMAGE_LIST));
});
