/**
 * `npm run -s keys:service`: a fresh pair of keys, by which nodes know the edge. Where SERVICE_PUBLIC_KEYS is set, its
 * keys stay beside the new one, as they must while the key is being changed. `origin/deploy/README.md` has the steps.
 */
import { z } from 'zod';
import { readEnvironment } from '../../shared/configuration.ts';
import { newServiceKey, publicKeyOf, publicKeySetOf, publicKeysText } from '../../shared/service-key.ts';

const variables = z.object({ SERVICE_PUBLIC_KEYS: publicKeysText.default([]) });
const { SERVICE_PUBLIC_KEYS: before } = readEnvironment('keys:service', variables, process.env);
const key = await newServiceKey();
process.stdout.write(`SERVICE_PUBLIC_KEYS=${publicKeySetOf([...before, publicKeyOf(key)])}
SERVICE_SIGNING_KEY=${JSON.stringify(key)}
`);
