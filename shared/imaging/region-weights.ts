/**
 * Weights of the logistic regression that decides regions, in the order of region-features.ts. Fitted by
 * models/training/matting/regions.py to rendered products and to cut-outs licensed for it (docs/model-card.md); a change
 * of the passes, of the cells or of the features needs a new fit.
 */
export const regionBias = -2.3618;
export const regionWeights: readonly number[] = [
  0.6489, // fine
  0.6122, // coarse
  0.3736, // crop
  0.37, // differs
  0.59, // meanFine
  1.5449, // meanCoarse
  1.0348, // meanCrop
  -1.1391, // plain
  -0.5581, // noise
  1.4898, // apart
  -0.0727, // distance
  0.3338, // light
  -0.2947, // chroma
  0.3064, // areaShare
  -0.1648, // areaPerimeter
  0.1092, // thickness
  0.1425, // toProduct
  -0.189, // toOutside
  -0.9276, // toOther
  -2.8329, // frame
  0.904, // toDifferent
  -0.7683, // productFront
  0.0582, // step
  -0.4408, // stepToProduct
  0.6747, // stepToBackground
  0.0924, // texture
  0.2448, // fineCoarse
  -0.7512, // fineCrop
  0.0123, // below
  -0.3138, // beside
  -0.3268, // outside
  -0.9757, // productShare
];
