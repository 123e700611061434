/**
 * Who may import whom (DESIGN: layout). Read from the sources' own import lines, so that a new file is covered the day
 * it is written.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const SKIP = new Set(['node_modules', 'dist', 'test', '.git', '.data', '.wrangler']);

const sourcesBelow = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (SKIP.has(entry.name)) return [];
    const path = join(dir, entry.name);
    return entry.isDirectory()
      ? sourcesBelow(path)
      : /\.(ts|tsx)$/.test(entry.name) && !entry.name.endsWith('.d.ts')
        ? [path]
        : [];
  });

type Import = { readonly from: string; readonly to: string };
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Relative imports as paths from the root, packages as they are written. */
const importsOf = (file: string): Import[] =>
  Array.from(readFileSync(file, 'utf8').matchAll(IMPORT), (match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const to = specifier.startsWith('.') ? relative(root, resolve(dirname(file), specifier)) : specifier;
    return { from: relative(root, file), to };
  });

const tiers = ['shared', 'edge', 'origin', 'models'] as const;
const imports = Object.fromEntries(
  tiers.map((tier) => [tier, sourcesBelow(join(root, tier)).flatMap(importsOf)]),
) as Record<(typeof tiers)[number], Import[]>;

const into = (list: Import[], ...folders: string[]): string[] =>
  list
    .filter(({ to }) => folders.some((folder) => to === folder || to.startsWith(`${folder}/`)))
    .map(({ from, to }) => `${from} → ${to}`);
const from = (list: Import[], prefix: string): Import[] => list.filter((one) => one.from.startsWith(prefix));

describe('the arrows of the layout', () => {
  it('finds the sources of every tier', () => {
    for (const tier of tiers) expect(imports[tier].length, tier).toBeGreaterThan(0);
  });

  it('shared imports only itself, zod and ipaddr.js', () => {
    const foreign = imports.shared.filter(({ to }) => !to.startsWith('shared/') && !['zod', 'ipaddr.js'].includes(to));
    expect(foreign).toEqual([]);
  });

  it('edge and origin never import each other, nor models or local into edge', () => {
    expect(into(imports.edge, 'origin', 'models', 'local', 'test')).toEqual([]);
    expect(into(imports.origin, 'edge', 'local', 'test')).toEqual([]);
    expect(into(imports.models, 'edge', 'origin', 'local', 'test')).toEqual([]);
  });

  it('inside edge the domain knows neither routes, flows nor the framework', () => {
    const rooms = ['account', 'batch', 'upload', 'download', 'responses'].flatMap((room) =>
      from(imports.edge, `edge/${room}/`),
    );
    expect(into(rooms, 'edge/routes', 'edge/app.ts', 'hono')).toEqual([]);
    const above = ['edge/batch', 'edge/upload', 'edge/download', 'edge/responses'];
    expect(into(from(imports.edge, 'edge/account/'), ...above)).toEqual([]);
    expect(into(from(imports.edge, 'edge/account/ledger/'), 'edge/account/keys', 'edge/account/requests')).toEqual([]);
    expect(into(from(imports.edge, 'edge/routes/'), 'edge/app.ts', 'edge/index.ts')).toEqual([]);
  });

  it('the state machines and the flows know no Cloudflare type', () => {
    const pure = ['upload', 'download', 'responses', 'batch/machine', 'account/ledger/machine.ts'].flatMap((place) =>
      from(imports.edge, `edge/${place}`),
    );
    expect(into(pure, 'cloudflare:workers', '@cloudflare/workers-types')).toEqual([]);
  });

  it('inside origin the pipeline, inference and database do not reach up', () => {
    const inner = [
      ...from(imports.origin, 'origin/pipeline/'),
      ...from(imports.origin, 'origin/inference/'),
      ...from(imports.origin, 'origin/db/'),
    ];
    expect(into(inner, 'origin/jobs', 'origin/http', 'origin/main.ts', 'hono')).toEqual([]);
    expect(into(from(imports.origin, 'origin/jobs/'), 'origin/http', 'origin/main.ts', 'hono')).toEqual([]);
  });
});
