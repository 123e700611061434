/** The real network: what is derived from it, and that it still finds the product. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { catalogue, findModel } from '../../models/catalogue.ts';
import { ensureModel } from '../../models/ensure.ts';
import table from '../../models/tools/activation-ranges.json' with { type: 'json' };
import { readModel } from '../../models/tools/onnx/file.ts';
import { MODEL, type Model } from '../../models/tools/onnx/schema.ts';
import { encode, lengthOf } from '../../models/tools/onnx/wire.ts';
import { derive } from '../../models/tools/prepare.ts';
import { tensorsToMeasure } from '../../models/tools/quantise.ts';
import { simplify } from '../../models/tools/surgery.ts';
import { meanDifference, overlap, run } from './run-model.ts';
import { photo, truth } from './scene.ts';

const { input } = findModel('isnet-fp32')!;
const fileOf = async (name: string) => (await ensureModel(name)).path;

describe('deriving from the downloaded file', () => {
  let simplified: Model;
  beforeAll(async () => {
    simplified = simplify(await readModel(await fileOf('isnet-general')), 'output');
  });

  it.each(catalogue.filter((row) => row.source.kind === 'derived'))('$name gives the recorded bytes again', (row) => {
    const parts = encode(derive(simplified, row.source.kind === 'derived' ? row.source.recipe : 'fp32'), MODEL);
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    expect([lengthOf(parts), hash.digest('hex')]).toEqual([row.bytes, row.sha256]);
  });

  it('the table of ranges covers exactly the tensors of this network', () => {
    expect(Object.keys(table.ranges)).toEqual(tensorsToMeasure(simplified));
  });
});

/** Seconds on a quiet machine; a minute where others compute too. */
describe('the derived files on a rendered photo', { timeout: 240_000 }, () => {
  it('isnet-fp32 gives the matte of the downloaded file', async () => {
    const images = [await photo(input, 1024, 1024)];
    const [expected] = await run(await fileOf('isnet-general'), images);
    const [matte] = await run(await fileOf('isnet-fp32'), images);
    expect(meanDifference(matte!, expected!)).toBeLessThan(0.001 / 255);
    expect(overlap(matte!, await truth(1024, 1024))).toBeGreaterThan(0.95);
  });

  it('isnet-int8, isnet-w8 and isnet-fp16 agree with isnet-fp32, at a square and at an oblong size', async () => {
    const images = [await photo(input, 512, 512), await photo(input, 640, 448)];
    const expected = await run(await fileOf('isnet-fp32'), images);
    for (const name of ['isnet-int8', 'isnet-w8', 'isnet-fp16']) {
      const mattes = await run(await fileOf(name), images, findModel(name)!.session);
      for (const [i, { width, height }] of images.entries()) {
        expect(overlap(mattes[i]!, expected[i]!), `${name} ${width} × ${height}`).toBeGreaterThan(0.98);
        expect(overlap(mattes[i]!, await truth(width, height)), `${name} ${width} × ${height}`).toBeGreaterThan(0.93);
      }
    }
  });
});
