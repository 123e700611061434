import { describe, expect, it } from 'vitest';
import { type CatalogueRow, catalogue, defaultModels, findModel } from '../../models/catalogue.ts';
import table from '../../models/tools/activation-ranges.json' with { type: 'json' };

const rows: readonly CatalogueRow[] = catalogue;

describe('the catalogue', () => {
  it('has one row per name and per file', () => {
    expect(new Set(rows.map((row) => row.name)).size).toBe(rows.length);
    expect(new Set(rows.map((row) => row.file)).size).toBe(rows.length);
  });

  it('records for every row what is needed to check and to run it', () => {
    for (const row of rows) {
      expect(row.sha256, row.name).toMatch(/^[0-9a-f]{64}$/);
      expect(row.bytes, row.name).toBeGreaterThan(0);
      expect(row.licence.code, row.name).toMatch(/^[A-Za-z0-9.+-]+$/);
      expect(row.licence.weights, row.name).toMatch(/^[A-Za-z0-9.+-]+$/);
      expect(row.licence.trainingData, row.name).not.toBe('');
      expect(row.licence.evidence.length, row.name).toBeGreaterThan(0);
      expect(row.input.side % row.input.multipleOf, row.name).toBe(0);
      expect(
        row.input.scale.every((scale) => scale > 0),
        row.name,
      ).toBe(true);
    }
  });

  it('claims no licence for weights whose authors state none: ISNet', () => {
    for (const row of rows.filter(({ name }) => name.startsWith('isnet-'))) {
      expect(row.licence.weights, row.name).toBe('unstated');
      expect(row.licence.code, row.name).toBe('Apache-2.0');
    }
  });

  it('derives only from files that are fetched or given', () => {
    for (const { name, source } of rows) {
      if (source.kind === 'derived') expect(findModel(source.from)?.source.kind, name).not.toBe('derived');
      if (source.kind === 'npm') expect(source.integrity, name).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    }
  });

  it('knows the default models', () => {
    expect(defaultModels.map((name) => findModel(name)?.name)).toEqual([...defaultModels]);
    expect(findModel('isnet-int9')).toBeUndefined();
  });

  it('was calibrated from the file it derives the int8 model of', () => {
    expect(findModel('isnet-int8')?.source).toMatchObject({ from: table.model });
    for (const [name, [low, high]] of Object.entries(table.ranges)) expect(low! <= 0 && high! > 0, name).toBe(true);
  });
});
