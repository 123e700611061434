/** An upload that is deleted once its result was fetched, in several languages. */

import { batchPath, paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/sample.ts';
import { origin } from './origin.ts';

const FILE = 'mug.jpg';

const curl = (base: string): string => `BATCH_ID=$(curl -s ${base}${paths.hero} \\
  -H "Authorization: Bearer $PACKSHOT_KEY" \\
  -F "files=@${FILE}" \\
  | grep -o 'bat_[0-9a-z]*' | head -n 1)

# 204: deleted. 202: begun, and goes on.
curl -s -o /dev/null -w '%{http_code}\\n' -X DELETE ${base}${batchPath('$BATCH_ID')} \\
  -H "Authorization: Bearer $PACKSHOT_KEY"`;

const typescript = (base: string): string => `import { openAsBlob } from 'node:fs';

const headers = { authorization: \`Bearer \${process.env.PACKSHOT_KEY}\` };
const form = new FormData();
form.append('files', await openAsBlob('${FILE}'), '${FILE}');
const response = await fetch('${base}${paths.hero}', { method: 'POST', headers, body: form });
if (!response.ok) throw new Error(await response.text());
const { batch_id } = (await response.json()) as { batch_id: string };

const deleted = await fetch(\`${base}${batchPath(`\${batch_id}`)}\`, { method: 'DELETE', headers });
if (!deleted.ok) throw new Error(await deleted.text());
console.log(deleted.status === 204 ? 'deleted' : 'deleting');`;

const python = (base: string): string => `# pip install packshot
from packshot import Packshot

with Packshot(base_url="${base}") as client:  # the key is read from PACKSHOT_KEY
    image = client.create("${FILE}")
    client.download(image, "main-image.jpg")
    print(client.delete_batch(image))`;

/** The address is this portal's own. */
export const deletionSamples = (): readonly Sample[] => [
  { name: 'curl', language: 'sh', source: curl(origin()) },
  { name: 'TypeScript', language: 'ts', source: typescript(origin()) },
  { name: 'Python', language: 'py', source: python(origin()) },
];
