/** What a deployment is made of: container files, GPU libraries, licences. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { isAllowed, licenceFaults, licencesOf, readLockfile } from '../../local/licences.ts';
import {
  composeFaults,
  dockerfileFaults,
  kubernetesFaults,
  tunnelFaults,
} from '../../origin/deploy/container-faults.ts';
import { libraryFaults, lockOf } from '../../origin/deploy/gpu-libraries.ts';

const read = (name: string): Promise<string> =>
  readFile(new URL(`../../origin/deploy/${name}`, import.meta.url), 'utf8');
const DIGEST = `@sha256:${'0'.repeat(64)}`;
/** Every image with the same digest, also ours, which has its own only when it has been pushed. */
const pinned = (text: string): string =>
  text.replace(/(^FROM |image: )([\w./-]+:[\w.-]+)(@sha256:\w+)?/gm, `$1$2${DIGEST}`);

type Faults = (text: string) => readonly string[];
const compose: Faults = (text) => composeFaults(parse(text, { merge: true }));
const kubernetes: Faults = (text) => kubernetesFaults(parseAllDocuments(text).map((one) => one.toJS()));
const KUBERNETES = ['kubernetes/origin.yaml', 'kubernetes/tunnel.yaml', 'kubernetes/autoscaling.yaml'];
const files: readonly (readonly [string, () => Promise<string>, Faults])[] = [
  ['compose.yaml', () => read('compose.yaml'), compose],
  ['kubernetes/', async () => (await Promise.all(KUBERNETES.map(read))).join('\n---\n'), kubernetes],
  ['Dockerfile', () => read('Dockerfile'), dockerfileFaults],
];

describe('containers', () => {
  it.each(files)(
    'of %s are safe but for the digest of our own image, which its push tells',
    async (_name, text, faults) => {
      for (const fault of faults(await text())) expect(fault).toMatch(/packshot-origin:\w+ is not pinned by a digest$/);
      expect(faults(pinned(await text()))).toEqual([]);
    },
  );

  it.each([
    ['as root', 'user: "472:0"', 'user: "0:0"'],
    ['with a writable root file system', 'read_only: true', 'read_only: false'],
    ['with capabilities', 'cap_drop: [ALL]', 'cap_drop: []'],
    ['with a capability added', 'user: "472:0"', 'user: "472:0"\n    cap_add: [NET_ADMIN]'],
    ['that may gain privileges', '["no-new-privileges:true"]', '[]'],
    ['by a tag alone', DIGEST, ''],
  ])('of Compose %s are refused', async (_what, good, bad) => {
    const text = pinned(await read('compose.yaml'));
    expect(text).toContain(good);
    expect(compose(text.replace(good, bad))).not.toEqual([]);
  });

  it.each([
    [
      'with the token of a service account',
      'automountServiceAccountToken: false',
      'automountServiceAccountToken: true',
    ],
    ['that may be root', 'runAsNonRoot: true', 'runAsNonRoot: false'],
    ['with a writable root file system', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false'],
    ['with capabilities', 'drop: [ALL]', 'drop: []'],
    ['that may gain privileges', 'allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true'],
    ['that may call anybody', 'policyTypes: [Ingress, Egress]', 'policyTypes: [Ingress]'],
    ['by a tag alone', DIGEST, ''],
  ])('of Kubernetes %s are refused', async (_what, good, bad) => {
    const text = pinned((await Promise.all(KUBERNETES.map(read))).join('\n---\n'));
    expect(text).toContain(good);
    expect(kubernetes(text.replace(good, bad))).not.toEqual([]);
  });

  it('of the Dockerfile that end as root are refused', async () => {
    expect(dockerfileFaults(pinned(await read('Dockerfile')).replace('USER node', 'USER root'))).toEqual([
      'Dockerfile cpu: runs as root',
    ]);
  });

  it('have no password that is known: none is started without one', async () => {
    const { services } = parse(await read('compose.yaml'), { merge: true });
    expect(services.grafana.environment.GF_SECURITY_ADMIN_PASSWORD).toMatch(/^\$\{GRAFANA_PASSWORD:\?/);
    expect(services.postgres.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  });

  it('are not reached through a tunnel whose configuration is still the example', async () => {
    const text = await read('tunnel/config.yaml');
    expect(tunnelFaults(text)).not.toEqual([]);
    const own = text
      .replace('nodes.example.com', 'nodes.packshot.shop')
      .replace('teamName: example', 'teamName: own')
      .replace('audience-tag-of-the-access-application', '0a1b');
    expect(tunnelFaults(own)).toEqual([]);
  });
});

it('a GPU library is kept only if it is the one whose digest was recorded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packshot-libraries-'));
  try {
    const paths = ['a.so', 'b.so'].map((name) => join(folder, name));
    for (const path of paths) await writeFile(path, 'library');
    const lock = await lockOf('1.30.0', paths);
    expect(await libraryFaults(paths, lock)).toEqual([]);
    await writeFile(paths[1]!, 'librarY');
    expect(await libraryFaults(paths, lock)).toEqual([expect.stringMatching(/^b\.so is [0-9a-f]{64}, and must be/)]);
    const { 'b.so': _none, ...files } = lock.files;
    expect(await libraryFaults(paths, { ...lock, files })).toEqual(['b.so is not in the lock']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('licences', () => {
  it('of all packages that a deployment installs are on the list of those allowed', () => {
    const lockfile = readLockfile();
    expect([...licencesOf(lockfile).values()].flat().length).toBeGreaterThan(100);
    expect(licenceFaults(lockfile)).toEqual([]);
  });

  it('that ask for more than to be named are refused, alone, combined, or missing', () => {
    const of = (license?: string) =>
      licenceFaults({ packages: { '': {}, 'node_modules/a': { version: '1.0.0', ...(license ? { license } : {}) } } });
    for (const bad of ['GPL-3.0-only', 'AGPL-3.0-or-later', 'MIT AND GPL-2.0-only', 'LGPL-3.0-or-later', undefined])
      expect(of(bad), bad).toHaveLength(1);
    for (const good of ['MIT', '(MIT OR GPL-3.0-only)', 'Apache-2.0 AND MIT']) expect(of(good), good).toEqual([]);
    expect(isAllowed('@img/sharp-libvips-linux-x64', 'LGPL-3.0-or-later')).toBe(true);
  });
});
