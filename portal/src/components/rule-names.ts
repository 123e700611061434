import type { Compliance } from '../../../shared/api.ts';

type RuleName = Compliance['checks'][number]['rule'];

/** The rules of reports, for people. */
export const ruleNames: Readonly<Record<RuleName, string>> = {
  background_white: 'Pure white background',
  product_fill: 'Product fills the canvas',
  specified_fill: 'Product fills 85 %',
  product_side: 'Size of the product',
  centred: 'Product centred',
  colour_space: 'Colour space',
  bit_depth: 'Bit depth',
  longest_side: 'Longest side',
  shortest_side: 'Shortest side',
  size: 'Width and height',
  zoom_side: 'Large enough for zoom',
  advised_side: 'Size advised',
  largest_side: 'Largest side',
  pixels: 'Megapixels',
  advised_pixels: 'Megapixels advised',
  aspect: 'Shape of the canvas',
  file_bytes: 'Size of the file',
  format: 'File format',
  jpeg_quality: 'JPEG quality',
};
