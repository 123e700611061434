/**
 * What is unsafe in the files that containers are started from: Compose, Kubernetes, the Dockerfile. Pure; `yaml` is as
 * parsed, one document each. Each fault names the file's part it is about.
 */

type Yaml = Readonly<Record<string, unknown>>;
const DIGEST = /@sha256:[0-9a-f]{64}$/;

const objectOf = (value: unknown): Yaml => (typeof value === 'object' && value !== null ? (value as Yaml) : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fault = (isFault: boolean, text: string): string[] => (isFault ? [text] : []);
const unpinned = (who: string, image: unknown): string[] =>
  fault(!DIGEST.test(String(image)), `${who}: the image ${image} is not pinned by a digest`);
const isRoot = (user: unknown): boolean => user === undefined || /^(root|0)(:|$)/.test(String(user));

/** An image that is built here has the digests of what it is built from in the Dockerfile. */
export const composeFaults = (yaml: unknown): readonly string[] =>
  Object.entries(objectOf(objectOf(yaml)['services'])).flatMap(([name, value]) => {
    const service = objectOf(value);
    const writable = service['read_only'] !== true;
    return [
      ...('build' in service ? [] : unpinned(name, service['image'])),
      ...fault(isRoot(service['user']), `${name}: runs as root`),
      ...fault(writable, `${name}: its root file system is writable`),
      ...fault(!listOf(service['cap_drop']).includes('ALL'), `${name}: keeps capabilities`),
      ...fault('cap_add' in service || service['privileged'] === true, `${name}: is given capabilities`),
      ...fault(!listOf(service['security_opt']).includes('no-new-privileges:true'), `${name}: may gain privileges`),
    ];
  });

const containerFaults = (who: string, container: Yaml): string[] => {
  const context = objectOf(container['securityContext']);
  return [
    ...unpinned(who, container['image']),
    ...fault(context['readOnlyRootFilesystem'] !== true, `${who}: its root file system is writable`),
    ...fault(!listOf(objectOf(context['capabilities'])['drop']).includes('ALL'), `${who}: keeps capabilities`),
    ...fault(context['allowPrivilegeEscalation'] !== false, `${who}: may gain privileges`),
  ];
};

/** `documents`: of all files together. A deployment's pods need a network policy for both directions. */
export const kubernetesFaults = (documents: readonly unknown[]): readonly string[] => {
  const all = documents.map(objectOf);
  const guarded = all
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => objectOf(spec))
    .filter(({ policyTypes }) => ['Ingress', 'Egress'].every((type) => listOf(policyTypes).includes(type)))
    .map(({ podSelector }) => objectOf(objectOf(podSelector)['matchLabels'])['app']);
  return all
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }) => {
      const template = objectOf(objectOf(spec)['template']);
      const pod = objectOf(template['spec']);
      const context = objectOf(pod['securityContext']);
      const app = objectOf(objectOf(template['metadata'])['labels'])['app'];
      return [
        ...fault(pod['automountServiceAccountToken'] !== false, `${app}: has the token of a service account`),
        ...fault(context['runAsNonRoot'] !== true, `${app}: may run as root`),
        ...fault(!guarded.includes(app), `${app}: has no network policy for ingress and egress`),
        ...listOf(pod['containers']).flatMap((container) => containerFaults(String(app), objectOf(container))),
      ];
    });
};

/** Every stage that begins with an image of somebody else, and the user that each image to be run ends with. */
export const dockerfileFaults = (text: string): readonly string[] => {
  const stages = text.split(/^(?=FROM )/m).filter((part) => part.startsWith('FROM '));
  const named = new Set(stages.map((stage) => / AS (\S+)/.exec(stage)?.[1]));
  return stages.flatMap((stage) => {
    const [, image = '', , name = ''] = /^FROM (\S+)( AS (\S+))?/.exec(stage) ?? [];
    const runs = /^ENTRYPOINT /m.test(stage);
    return [
      ...(named.has(image) ? [] : unpinned(`Dockerfile ${name}`, image)),
      ...fault(runs && isRoot(/^USER (\S+)/m.exec(stage)?.[1]), `Dockerfile ${name}: runs as root`),
    ];
  });
};

/** Left as they came, these would lead nowhere, or to somebody else. */
export const tunnelFaults = (text: string): readonly string[] =>
  fault(
    /nodes\.example\.com|teamName: example|audience-tag-of/.test(text),
    'tunnel/config.yaml: still has host name, team or audience of the example',
  );
