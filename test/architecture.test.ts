/**
 * Who may import whom. The tables of docs/architecture.md are the rule; the sources' own import lines are the fact, so
 * that a new file is covered the day it is written.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const SKIP = new Set(['node_modules', 'dist', 'training']);
const TIERS = ['shared', 'edge', 'origin', 'models', 'portal', 'local'];

const sourcesBelow = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (SKIP.has(entry.name)) return [];
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return sourcesBelow(path);
    return /\.(ts|tsx)$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : [];
  });

type Import = { readonly from: string; readonly to: string; readonly isPackage: boolean };
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Relative imports as paths from the root, packages by the name they are installed under. */
const importsOf = (file: string): Import[] =>
  Array.from(readFileSync(file, 'utf8').matchAll(IMPORT), (match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const from = relative(root, file);
    if (specifier.startsWith('.')) {
      return { from, to: relative(root, resolve(dirname(file), specifier)), isPackage: false };
    }
    const [scope = '', name = ''] = specifier.split('/');
    return { from, to: specifier.startsWith('@') ? `${scope}/${name}` : scope, isPackage: true };
  });

const document = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');

/** Rows of the table below a heading: what the backticks of each cell hold. */
const tableBelow = (heading: string): string[][][] => {
  const section = document.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)),
  );
};

const arrows = new Map(tableBelow('Who may import whom').map(([[room = ''] = [], allowed = []]) => [room, allowed]));
const packageRooms = new Map(
  tableBelow('Which packages where').flatMap(([packages = [], rooms = []]) =>
    packages.map((name) => [name, rooms] as const),
  ),
);

const isIn = (path: string, room: string): boolean => path === room || path.startsWith(`${room}/`);
/** The room that a file belongs to: the longest one that holds it. */
const roomOf = (path: string): string | undefined =>
  [...arrows.keys()].filter((room) => isIn(path, room)).sort((a, b) => b.length - a.length)[0];

const imports = TIERS.flatMap((tier) => sourcesBelow(join(root, tier))).flatMap(importsOf);
const crossing = imports
  .filter(({ isPackage }) => !isPackage)
  .map((one) => ({ ...one, room: roomOf(one.from), target: roomOf(one.to) }))
  .filter(({ room, target }) => room !== target);

describe('the arrows of docs/architecture.md', () => {
  it('name a room for every source file', () => {
    for (const tier of TIERS) expect(imports.filter(({ from }) => isIn(from, tier)).length, tier).toBeGreaterThan(0);
    expect(imports.map(({ from }) => from).filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it('allow every import between rooms', () => {
    const forbidden = crossing.filter(
      ({ room = '', target = '' }) => !(arrows.get(room) ?? []).some((allowed) => isIn(target, allowed)),
    );
    expect(forbidden.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('are all in use', () => {
    const unused = [...arrows].flatMap(([room, allowed]) =>
      allowed
        .filter((target) => !crossing.some((one) => one.room === room && isIn(one.target ?? '', target)))
        .map((target) => `${room} → ${target}`),
    );
    expect(unused).toEqual([]);
  });
});

describe('whatever the tables say', () => {
  const into = (from: string, ...targets: string[]): string[] =>
    imports
      .filter((one) => isIn(one.from, from) && targets.some((target) => isIn(one.to, target)))
      .map((one) => `${one.from} → ${one.to}`);

  it('edge and origin never import each other, and models, local and tests stay out of the edge', () => {
    expect(into('edge', 'origin', 'models', 'local', 'portal', 'test')).toEqual([]);
    expect(into('origin', 'edge', 'local', 'portal', 'test')).toEqual([]);
    expect(into('models', 'edge', 'origin', 'local', 'portal', 'test')).toEqual([]);
  });

  it('no room of the edge knows the routes or the framework, and the account knows no flow', () => {
    const rooms = ['account', 'batch', 'upload', 'download', 'responses', 'origin', 'stores', 'input-url', 'webhooks'];
    expect(
      rooms.flatMap((room) => into(`edge/${room}`, 'edge/routes', 'edge/app.ts', 'edge/index.ts', 'hono')),
    ).toEqual([]);
    expect(into('edge/account', 'edge/batch', 'edge/upload', 'edge/download', 'edge/responses')).toEqual([]);
  });

  it('the state machines and the flows know no Cloudflare type', () => {
    const pure = ['upload', 'download', 'responses', 'batch/machine', 'account/ledger/machine.ts'];
    expect(pure.flatMap((place) => into(`edge/${place}`, 'cloudflare:workers', '@cloudflare/workers-types'))).toEqual(
      [],
    );
  });

  it('inside origin the pipeline, inference and database do not reach up, nor jobs into http', () => {
    const inner = ['pipeline', 'inference', 'db', 'storage'];
    expect(
      inner.flatMap((room) => into(`origin/${room}`, 'origin/jobs', 'origin/http', 'origin/main.ts', 'hono')),
    ).toEqual([]);
    expect(into('origin/jobs', 'origin/http', 'origin/main.ts', 'hono')).toEqual([]);
  });
});

describe('the packages of docs/architecture.md', () => {
  it('are imported by the rooms that may know them and by no other', () => {
    const misplaced = imports.filter(
      ({ from, to, isPackage }) =>
        isPackage && !(packageRooms.get(to) ?? ['']).some((room) => room === '' || isIn(from, room)),
    );
    expect(misplaced.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('leave shared with nothing but zod and ipaddr.js', () => {
    const foreign = imports.filter(
      ({ from, to, isPackage }) => isPackage && isIn(from, 'shared') && !['zod', 'ipaddr.js'].includes(to),
    );
    expect(foreign.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });
});
