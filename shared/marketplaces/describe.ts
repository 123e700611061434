/** A rule in words, for reports and documents. */
import { MB, type Requirement } from './rule.ts';

const number = (value: number): string => value.toLocaleString('en-US');
const share = (value: number): string => value.toFixed(3);
const megabytes = (bytes: number): string => (bytes >= MB ? `${bytes / MB} MB` : `${bytes / 1000} kB`);

const range = (min: number | undefined, max: number | undefined, write: (value: number) => string): string => {
  if (min === undefined) return max === undefined ? 'any' : `at most ${write(max)}`;
  return max === undefined ? `at least ${write(min)}` : `${write(min)} to ${write(max)}`;
};

const px = (value: number): string => `${number(value)} px`;

/** "at most 5 MB" */
export const describeRequirement = (requirement: Requirement): string => {
  switch (requirement.kind) {
    case 'background_white':
      return requirement.shadow === 'tolerated'
        ? 'every pixel outside the product and its shadow is (255, 255, 255)'
        : 'every pixel outside the product is (255, 255, 255)';
    case 'product_fill':
      return `${range(requirement.min, requirement.max, share)} of the canvas`;
    case 'product_side':
      return `longer side of the product ${range(requirement.min, requirement.max, px)}`;
    case 'longest_side':
    case 'shortest_side':
      return range(requirement.min, requirement.max, px);
    case 'size':
      return `at least ${number(requirement.min_width)} × ${number(requirement.min_height)} px`;
    case 'pixels':
      return `at most ${requirement.max / MB} megapixels`;
    case 'aspect':
      return `width to height as ${requirement.width} to ${requirement.height}`;
    case 'file_bytes':
      return range(requirement.min, requirement.max, megabytes);
    case 'format':
      return requirement.any_of.join(', ');
    case 'jpeg_quality':
      return `quality of a jpg ${range(requirement.min, undefined, String)}`;
    case 'colour_space':
      return 'sRGB';
    case 'bit_depth':
      return '8 bit';
    case 'centred':
      return `within ${requirement.within_px} px of the centre`;
  }
};
