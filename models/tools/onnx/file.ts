/** ONNX files on disk. */

import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { MODEL, type Model } from './schema.ts';
import { decode, encode } from './wire.ts';

/** Throws if the file is missing or is no ONNX model. */
export const readModel = async (path: string): Promise<Model> => {
  return decode<Model>(await readFile(path), MODEL);
};

export type Written = { bytes: number; sha256: string };

/** Writes the model part by part, without building the whole file in memory, and syncs it to disk. */
export const writeModel = async (path: string, model: Model): Promise<Written> => {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  try {
    let bytes = 0;
    for (const part of encode(model, MODEL)) {
      hash.update(part);
      await file.writeFile(part);
      bytes += part.length;
    }
    await file.sync();
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
};
