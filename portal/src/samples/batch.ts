/** A batch, created and polled, in several languages. Its photo is one that the portal serves, so each can be run. */

import { paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/code-tabs.tsx';
import { origin } from './origin.ts';

const curl = (url: string, photo: string): string => `BATCH_ID=$(curl -s ${url} \\
  -H "Authorization: Bearer $PACKSHOT_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"images": [{"input_url": "${photo}"}]}' \\
  | grep -o 'bat_[0-9a-z]*' | head -n 1)

curl "${url}/status/$BATCH_ID?wait=25" \\
  -H "Authorization: Bearer $PACKSHOT_KEY"`;

const typescript = (url: string, photo: string): string => `const api = '${url}';
const headers = { authorization: \`Bearer \${process.env.PACKSHOT_KEY}\`, 'content-type': 'application/json' };
type Batch = { batch_id: string; status: string; images: { status: string; clean_download_url?: string }[] };

const body = JSON.stringify({ images: [{ input_url: '${photo}' }] });
const created = await fetch(api, { method: 'POST', headers, body });
if (!created.ok) throw new Error(await created.text());
let batch = (await created.json()) as Batch;

while (batch.status === 'queued' || batch.status === 'processing') {
  const response = await fetch(\`\${api}/status/\${batch.batch_id}?wait=25\`, { headers });
  batch = (await response.json()) as Batch;
}

for (const image of batch.images) console.log(image.status, image.clean_download_url);`;

const python = (base: string, photo: string): string => `# pip install packshot
from packshot import CompletedImage, Packshot

with Packshot(base_url="${base}") as client:  # the key is read from PACKSHOT_KEY
    batch = client.create_batch(["${photo}"])
    for image in client.finished(batch):
        if isinstance(image, CompletedImage):
            print(image.status, image.clean_download_url)
        else:
            print(image.status, image.error.code)`;

/** The address is this portal's own. */
export const batchSamples = (): readonly Sample[] => {
  const url = origin() + paths.hero;
  const photo = `${origin()}/samples/mug.jpg`;
  return [
    { name: 'curl', language: 'sh', source: curl(url, photo) },
    { name: 'TypeScript', language: 'ts', source: typescript(url, photo) },
    { name: 'Python', language: 'py', source: python(origin(), photo) },
  ];
};
