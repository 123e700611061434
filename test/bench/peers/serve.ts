/** A cutter in a process of its own: one JSON line a photo on its input, and one on its output. */
import { createInterface } from 'node:readline';

type Job = { readonly path: string; readonly out: string };

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** `cut` reads the photo at `path` and writes its cut-out to `out`; what that takes is told, in ms. */
export const serve = async (cut: (job: Job) => Promise<void>): Promise<void> => {
  say({ ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const begun = performance.now();
    try {
      await cut(JSON.parse(line) as Job);
      say({ ms: performance.now() - begun });
    } catch (error) {
      say({ ms: performance.now() - begun, error: error instanceof Error ? error.message : String(error) });
    }
  }
};
