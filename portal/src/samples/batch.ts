/** A batch, created and polled, in several languages. Its photo is one that the portal serves, so each can be run. */

import { paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/sample.ts';
import { origin } from './origin.ts';

const curl = (url: string, photo: string): string => `BATCH_ID=$(curl -s ${url} \\
  -H "Authorization: Bearer $PACKSHOT_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"images": [{"input_url": "${photo}"}]}' \\
  | grep -o 'bat_[0-9a-z]*' | head -n 1)

curl "${url}/status/$BATCH_ID?wait=25" \\
  -H "Authorization: Bearer $PACKSHOT_KEY" -o status.json

# One link for each image that is done, one code for each that failed.
grep -oE 'http[^"]*/downloads/[^"]*|"code": *"[^"]*"' status.json
curl -o main-image.jpg "$(grep -o 'http[^"]*/downloads/[^"]*' status.json | head -n 1)"`;

const typescript = (url: string, photo: string): string => `import { writeFileSync } from 'node:fs';

const api = '${url}';
const headers = { authorization: \`Bearer \${process.env.PACKSHOT_KEY}\`, 'content-type': 'application/json' };
type Image = { image_id: string; clean_download_url?: string; error?: { code: string; detail: string } };
type Batch = { batch_id: string; status: string; images: Image[] };

const ask = async (url: string, init = {}): Promise<Batch> => {
  const response = await fetch(url, { headers, ...init });
  const answer = await response.json();
  if (!response.ok) throw new Error(\`\${answer.code}: \${answer.detail}\`);
  return answer;
};

const body = JSON.stringify({ images: [{ input_url: '${photo}' }] });
let batch = await ask(api, { method: 'POST', body });
while (batch.status === 'queued' || batch.status === 'processing')
  batch = await ask(\`\${api}/status/\${batch.batch_id}?wait=25\`);

for (const { image_id, clean_download_url, error } of batch.images) {
  if (!clean_download_url) {
    console.error(image_id, error?.code, error?.detail); // not charged
    continue;
  }
  const image = await fetch(clean_download_url);
  writeFileSync(\`\${image_id}.jpg\`, Buffer.from(await image.arrayBuffer()));
  console.log(clean_download_url);
}`;

const python = (base: string, photo: string): string => `# pip install packshot
from packshot import CompletedImage, Packshot

with Packshot(base_url="${base}") as client:  # the key is read from PACKSHOT_KEY
    batch = client.create_batch(["${photo}"])
    for image in client.finished(batch):
        if isinstance(image, CompletedImage):
            client.download(image, f"{image.image_id}.jpg")
            print(image.clean_download_url)
        else:
            print(image.image_id, image.error.code, image.error.detail)  # not charged`;

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
