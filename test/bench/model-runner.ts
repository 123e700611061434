/**
 * A child of the upload benchmark: the model file exactly as it is downloaded, run as other tools run it, on one
 * stretched 1024² photo.
 */
import ort from 'onnxruntime-node';

type Request = { readonly path: string } | { readonly rgb: Uint8Array };

const SIDE = 1024;
let session: ort.InferenceSession | undefined;

/** 8-bit interleaved RGB → normalised planes, float32 [1, 3, 1024, 1024]. */
const planesOf = (rgb: Uint8Array): Float32Array => {
  const planes = new Float32Array(3 * SIDE * SIDE);
  for (let c = 0; c < 3; c++)
    for (let i = 0; i < SIDE * SIDE; i++) planes[c * SIDE * SIDE + i] = ((rgb[i * 3 + c] ?? 0) - 128) / 256;
  return planes;
};

process.on('message', async (request: Request) => {
  if ('path' in request) {
    session = await ort.InferenceSession.create(request.path);
    return process.send?.({ ready: true });
  }
  const begun = performance.now();
  await session?.run({ input: new ort.Tensor('float32', planesOf(request.rgb), [1, 3, SIDE, SIDE]) });
  return process.send?.({ ms: performance.now() - begun });
});
process.on('disconnect', () => process.exit(0));
