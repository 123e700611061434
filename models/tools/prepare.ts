/** Derives the files that are run from the file that is fetched. Same input, same bytes. */
import { join } from 'node:path';
import type { CatalogueRow, ModelSource, Recipe } from '../catalogue.ts';
import { install } from '../install.ts';
import table from './activation-ranges.json' with { type: 'json' };
import { readModel, writeModel } from './onnx/file.ts';
import type { Model } from './onnx/schema.ts';
import { type ActivationRanges, quantise, quantiseWeights } from './quantise.ts';
import { simplify, toFloat16, toFloat32 } from './surgery.ts';

type Derived = Extract<ModelSource, { kind: 'derived' }>;

const recipes: Record<Recipe, (simplified: Model) => Model> = {
  fp32: toFloat32,
  fp16: toFloat16,
  int8: (simplified) => quantise(simplified, table.ranges as unknown as ActivationRanges),
  w8: quantiseWeights,
};

/** The model a recipe makes of a simplified one. */
export const derive = (simplified: Model, recipe: Recipe): Model => {
  return recipes[recipe](simplified);
};

/** Leaves the row's file in `dir`, made from `original` there. Throws ModelError `wrong_hash`. */
export const prepareModel = async (
  row: CatalogueRow & { source: Derived },
  original: CatalogueRow,
  dir: string,
): Promise<void> => {
  const model = simplify(await readModel(join(dir, original.file)), original.output.name);
  await install(row, dir, (path) => writeModel(path, derive(model, row.source.recipe)));
};
