/** Secrets of one local copy: made at its first start, readable by their owner only, never printed. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newServiceKey, type ServiceSigningKey } from '../shared/service-key.ts';

const NAMES = ['downloadSigning', 'localAdmin', 'auth', 'stripeWebhook'] as const;
export type LocalSecrets = Record<(typeof NAMES)[number], string> & { readonly serviceKey: ServiceSigningKey };

/** Reads DATA_DIR/secrets.json and adds what is missing, so that links and sessions survive a restart. */
export const localSecrets = async (dataDir: string): Promise<LocalSecrets> => {
  const file = join(dataDir, 'secrets.json');
  const kept = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Partial<LocalSecrets>;
  const random = Object.fromEntries(NAMES.map((name) => [name, kept[name] ?? randomBytes(32).toString('hex')])) as Omit<
    LocalSecrets,
    'serviceKey'
  >;
  const secrets = { ...random, serviceKey: kept.serviceKey ?? (await newServiceKey()) };
  await writeAtomically(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
};

/**
 * A reader sees the old file or the whole new one, whoever else writes it meanwhile; a full disk leaves the old one and no
 * draft. Mode 0600: these files hold secrets.
 */
export const writeAtomically = async (file: string, text: string): Promise<void> => {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  await mkdir(join(file, '..'), { recursive: true });
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};
