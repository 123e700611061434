/** Decides, region by region, what is product. */
import { FEATURES, regionFeatures } from './region-features.ts';
import { regionBias, regionWeights } from './region-weights.ts';
import { type Cells, findRegions, type Regions } from './regions.ts';

/** Smaller regions, cells, are the passes' differences about an edge: the finest pass keeps its say. */
const AREA_MIN = 8;

/** `alpha`: the decision for each cell, 0..255. `expectedIoU`: what the probabilities say it is worth, 0..1. */
type Decision = { readonly alpha: Float32Array; readonly expectedIoU: number };

/**
 * A region is product where its probability says so. Within it each cell keeps the alpha of a pass that says the same,
 * so that edges stay soft; where none does, it is all product or all background.
 */
export const decideRegions = (cells: Cells): Decision => {
  const regions = findRegions(cells);
  const probability = probabilities(cells, regions);
  const { fine, coarse, crop } = cells;
  const alpha = new Float32Array(fine.length);
  for (let i = 0; i < alpha.length; i++) {
    const region = regions.label[i]!;
    const most = Math.max(fine[i]!, coarse[i]!, crop[i]!);
    const least = Math.min(fine[i]!, coarse[i]!, crop[i]!);
    if (regions.area[region]! < AREA_MIN) alpha[i] = crop[i]!;
    else if (probability[region]! > 0.5) alpha[i] = most > 127 ? most : 255;
    else alpha[i] = least <= 127 ? least : 0;
  }
  return { alpha, expectedIoU: expectedIoU(regions, probability) };
};

/** Of each region, that it is product: logistic regression. */
const probabilities = (cells: Cells, regions: Regions): Float32Array => {
  const features = regionFeatures(cells, regions);
  return Float32Array.from(regions.area, (_, region) => {
    const logit = regionWeights.reduce((sum, weight, i) => sum + weight * features[region * FEATURES + i]!, regionBias);
    return 1 / (1 + Math.exp(-logit));
  });
};

const expectedIoU = ({ area }: Regions, probability: Float32Array): number => {
  let both = 0;
  let either = 0;
  for (let k = 0; k < area.length; k++) {
    const expected = area[k]! * probability[k]!;
    if (probability[k]! > 0.5) both += expected;
    either += probability[k]! > 0.5 ? area[k]! : expected;
  }
  return either === 0 ? 0 : both / either;
};
