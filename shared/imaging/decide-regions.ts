/** Decides, region by region, what is product. */
import { floodFill } from './flood-fill.ts';
import { FEATURES, regionFeatures } from './region-features.ts';
import { regionBias, regionWeights } from './region-weights.ts';
import { type Cells, COARSE, CROP, FINE, findRegions, type Regions } from './regions.ts';

/** Smaller regions, cells, are the passes' differences about an edge: the finest pass keeps its say. */
const AREA_MIN = 8;

/** A region that most passes call product has to be this unlikely to be dropped; any other needs even odds to be kept. */
const MAJORITY_ODDS = 0.15;
const EVEN_ODDS = 0.5;

/** `alpha`: the decision for each cell, 0..255. `expectedIoU`: what the probabilities say it is worth, 0..1. */
type Decision = { readonly alpha: Float32Array; readonly expectedIoU: number };

/**
 * A region is product where its probability says so. Within it each cell keeps the alpha of a pass that says the same,
 * so that edges stay soft; where none does, it is all product or all background.
 */
export const decideRegions = (cells: Cells): Decision => {
  const regions = findRegions(cells);
  const probability = probabilities(cells, regions);
  const isProduct = Uint8Array.from(regions.code, (code, k) => (probability[k]! > oddsNeeded(code) ? 1 : 0));
  dropUnsupported(cells, regions, isProduct);
  const { fine, coarse, crop } = cells;
  const alpha = new Float32Array(fine.length);
  for (let i = 0; i < alpha.length; i++) {
    const region = regions.label[i]!;
    const most = Math.max(fine[i]!, coarse[i]!, crop[i]!);
    const least = Math.min(fine[i]!, coarse[i]!, crop[i]!);
    if (regions.area[region]! < AREA_MIN) alpha[i] = crop[i]!;
    else if (isProduct[region]) alpha[i] = most > 127 ? most : 255;
    else alpha[i] = least <= 127 ? least : 0;
  }
  return { alpha, expectedIoU: expectedIoU(regions, probability, isProduct) };
};

const isMajority = (code: number): boolean => [FINE, COARSE, CROP].filter((pass) => (code & pass) !== 0).length >= 2;
const oddsNeeded = (code: number): number => (isMajority(code) ? MAJORITY_ODDS : EVEN_ODDS);

/** What stands apart from the product stays only where most passes find some of it: a gap in a bench is found by one. */
const dropUnsupported = (cells: Cells, { label, code }: Regions, isProduct: Uint8Array): void => {
  const supports = code.map((one, k) => (isProduct[k] && isMajority(one) ? 1 : 0));
  if (!supports.includes(1)) return;
  const seen = new Uint8Array(label.length);
  const reached = new Int32Array(label.length);
  const enter = (at: number): boolean => {
    if (seen[at] || !isProduct[label[at]!]) return false;
    seen[at] = 1;
    return true;
  };
  for (let start = 0; start < label.length; start++) {
    const found = floodFill(start, cells, enter, reached);
    if (found === 0) continue;
    const together = reached.subarray(0, found);
    if (!together.some((at) => supports[label[at]!])) for (const at of together) isProduct[label[at]!] = 0;
  }
};

/** Of each region, that it is product: logistic regression. */
const probabilities = (cells: Cells, regions: Regions): Float32Array => {
  const features = regionFeatures(cells, regions);
  return Float32Array.from(regions.area, (_, region) => {
    const logit = regionWeights.reduce((sum, weight, i) => sum + weight * features[region * FEATURES + i]!, regionBias);
    return 1 / (1 + Math.exp(-logit));
  });
};

const expectedIoU = ({ area }: Regions, probability: Float32Array, isProduct: Uint8Array): number => {
  let both = 0;
  let either = 0;
  for (let k = 0; k < area.length; k++) {
    const expected = area[k]! * probability[k]!;
    if (isProduct[k]) both += expected;
    either += isProduct[k] ? area[k]! : expected;
  }
  return either === 0 ? 0 : both / either;
};
