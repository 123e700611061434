/** `{"data":{"result_b64":…}}` of a file of any size, made while the file is read. */

const encoder = new TextEncoder();

export const base64Json = (
  file: ReadableStream<Uint8Array>,
  foreground: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): ReadableStream<Uint8Array> => {
  // Three bytes make four characters: what is left of a chunk goes before the next.
  let rest = new Uint8Array(0);
  const { x, y, width, height } = foreground;
  const places = { foreground_top: y, foreground_left: x, foreground_width: width, foreground_height: height };
  return file.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (out) => out.enqueue(encoder.encode('{"data":{"result_b64":"')),
      transform: (chunk, out) => {
        const bytes = new Uint8Array(rest.length + chunk.length);
        bytes.set(rest);
        bytes.set(chunk, rest.length);
        const whole = bytes.length - (bytes.length % 3);
        rest = bytes.slice(whole);
        if (whole > 0) out.enqueue(encoder.encode(bytes.subarray(0, whole).toBase64()));
      },
      flush: (out) => out.enqueue(encoder.encode(`${rest.toBase64()}",${JSON.stringify(places).slice(1)}}`)),
    }),
  );
};
