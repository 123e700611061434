/**
 * Makes the edge's modules loadable in Node: `cloudflare:workers` becomes the stand-in beside this file. A planted bug
 * rewrites lines of them on the way in; a line that is not there any more is an error.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Replaces `find`, which must stand exactly once in `file` (path from the root of the repository). */
export type Patch = { readonly file: string; readonly find: string; readonly replace: string };

const ROOT = new URL('../../../', import.meta.url).href;
/** The same router, for isolates that live for a few requests: it matches them one by one and builds no table. */
const QUICK_ROUTER = 'hono/quick';
const STAND_IN = new URL('./cloudflare-workers.ts', import.meta.url).href;

export const installHooks = (patches: readonly Patch[]): void => {
  const byUrl = new Map<string, Patch[]>();
  for (const patch of patches) {
    const url = ROOT + patch.file;
    byUrl.set(url, [...(byUrl.get(url) ?? []), patch]);
    apply(readFileSync(fileURLToPath(url), 'utf8'), patch);
  }
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'cloudflare:workers'
        ? { url: STAND_IN, shortCircuit: true }
        : next(specifier === 'hono' ? QUICK_ROUTER : specifier, context),
    load: (url, context, next) => {
      const own = byUrl.get(url);
      if (!own) return next(url, context);
      const source = own.reduce(apply, readFileSync(fileURLToPath(url), 'utf8'));
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
};

const apply = (source: string, { file, find, replace }: Patch): string => {
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} places, not one, that read: ${find}`);
  return parts.join(replace);
};
