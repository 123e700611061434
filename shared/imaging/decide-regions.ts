/** Decides, region by region, what is product. */
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
const dropUnsupported = ({ width, height }: Cells, { label, code }: Regions, isProduct: Uint8Array): void => {
  const supported = Uint8Array.from(code, (one, k) => (isProduct[k] && isMajority(one) ? 1 : 0));
  if (!supported.includes(1)) return;
  const touching = neighbours(label, width, height);
  const waiting = [...supported.keys()].filter((k) => supported[k]);
  for (let k = waiting.pop(); k !== undefined; k = waiting.pop())
    for (const next of touching.get(k) ?? []) {
      if (!isProduct[next] || supported[next]) continue;
      supported[next] = 1;
      waiting.push(next);
    }
  for (const k of isProduct.keys()) if (!supported[k]) isProduct[k] = 0;
};

/** The regions that share a side of a cell with each region. */
const neighbours = (label: Int32Array, width: number, height: number): Map<number, Set<number>> => {
  const found = new Map<number, Set<number>>();
  const note = (a: number, b: number): void => {
    if (a === b) return;
    found.set(a, (found.get(a) ?? new Set()).add(b));
    found.set(b, (found.get(b) ?? new Set()).add(a));
  };
  for (let at = 0; at < label.length; at++) {
    if (at % width < width - 1) note(label[at]!, label[at + 1]!);
    if (at < (height - 1) * width) note(label[at]!, label[at + width]!);
  }
  return found;
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
