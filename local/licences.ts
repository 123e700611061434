/**
 * `npm run licences`: every package that a deployment installs, by licence; exit code 1 where one is not allowed.
 * Read from package-lock.json, optional packages of other platforms included.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type LockedPackage = { readonly version?: string; readonly license?: string; readonly dev?: boolean };
type Lockfile = { readonly packages: Readonly<Record<string, LockedPackage>> };

/**
 * Ask for nothing but to be named. LGPL and MPL are for whole libraries that are linked or run unchanged: libvips, which
 * sharp loads, and lightningcss, which builds the portal.
 */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'Unlicense']);
const ALLOWED_FOR: Readonly<Record<string, RegExp>> = {
  'LGPL-3.0-or-later': /^@img\/sharp-/,
  'MPL-2.0': /^lightningcss(-|$)/,
};

const isAllowedId = (name: string, id: string): boolean => ALLOWED.has(id) || (ALLOWED_FOR[id]?.test(name) ?? false);

/** `licence`: an SPDX expression without WITH. Of alternatives one must be allowed, of a combination each. */
export const isAllowed = (name: string, licence: string): boolean =>
  licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((id) => isAllowedId(name, id)));

/** Packages of a lockfile that are not for development alone: licence → `name@version`, sorted. */
export const licencesOf = ({ packages }: Lockfile): ReadonlyMap<string, readonly string[]> => {
  const byLicence = new Map<string, string[]>();
  for (const [path, { version, license = 'none', dev }] of Object.entries(packages)) {
    if (path === '' || dev) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    byLicence.set(license, [...(byLicence.get(license) ?? []), `${name}@${version}`].sort());
  }
  return new Map([...byLicence].sort(([a], [b]) => a.localeCompare(b)));
};

/** One text for each package whose licence is not allowed. */
export const licenceFaults = (lockfile: Lockfile): readonly string[] =>
  [...licencesOf(lockfile)].flatMap(([licence, names]) =>
    names
      .filter((name) => !isAllowed(name.slice(0, name.lastIndexOf('@')), licence))
      .map((name) => `${name}: ${licence} is not allowed`),
  );

export const readLockfile = (): Lockfile =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')) as Lockfile;

if (import.meta.main) {
  const lockfile = readLockfile();
  for (const [licence, names] of licencesOf(lockfile)) process.stdout.write(`${licence}\n  ${names.join('\n  ')}\n`);
  const faults = licenceFaults(lockfile);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
