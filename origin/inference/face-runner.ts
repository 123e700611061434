/** Faces instead of mattes: BlazeFace takes one square of 256 × 256 at a time and has four outputs. */
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelInput } from '../../models/catalogue.ts';
import { FACE_ANCHORS, FACE_FIGURES, FACE_SIDE } from '../../shared/imaging/findings/faces.ts';
import type { RunImages } from './session.ts';

/** Scores and boxes of the finer and of the coarser grid; a box comes with six points of the face, which nobody asks for. */
const OUTPUTS = [
  { score: 'Identity:0', box: 'Identity_2:0' },
  { score: 'Identity_1:0', box: 'Identity_3:0' },
] as const;
const BOX_FIGURES = 16;
const SQUARE = FACE_SIDE * FACE_SIDE * 3;

/** Images of squares one under the other → FACE_ANCHORS × FACE_FIGURES of float32 for each square, as bytes. */
export const createFaceRunner = (session: InferenceSession, input: ModelInput): RunImages => {
  const [mean, scale] = [input.mean[0], input.scale[0]];
  const values = new Float32Array(SQUARE);
  return async (rgb) => {
    const squares = Math.floor(rgb.length / SQUARE);
    const figures = new Float32Array(squares * FACE_ANCHORS * FACE_FIGURES);
    for (let square = 0; square < squares; square++) {
      for (let i = 0; i < SQUARE; i++) values[i] = ((rgb[square * SQUARE + i] as number) - mean) / scale;
      const found = await session.run({ [input.name]: new Tensor('float32', values, [1, FACE_SIDE, FACE_SIDE, 3]) });
      write(found, figures.subarray(square * FACE_ANCHORS * FACE_FIGURES));
    }
    return new Uint8Array(figures.buffer);
  };
};

const write = (found: InferenceSession.ReturnType, figures: Float32Array): void => {
  let at = 0;
  for (const { score, box } of OUTPUTS) {
    const scores = found[score]?.data as Float32Array;
    const boxes = found[box]?.data as Float32Array;
    for (const [i, value] of scores.entries()) {
      figures[at] = value;
      figures.set(boxes.subarray(i * BOX_FIGURES, i * BOX_FIGURES + FACE_FIGURES - 1), at + 1);
      at += FACE_FIGURES;
    }
  }
};
