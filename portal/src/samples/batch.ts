/** A batch, created and polled, in several languages. */

import { paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/code-tabs.tsx';

const curl = (url: string): string => `curl ${url} \\
  -H "Authorization: Bearer $PACKSHOT_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"images": [{"input_url": "https://shop.example/mug.jpg"},
                  {"input_url": "https://shop.example/lamp.png"}]}'

# then, with the batch_id of the answer
curl "${url}/status/$BATCH_ID?wait=25" \\
  -H "Authorization: Bearer $PACKSHOT_KEY"`;

const javascript = (url: string): string => `const api = '${url}';
const headers = { authorization: \`Bearer \${process.env.PACKSHOT_KEY}\`, 'content-type': 'application/json' };

const created = await fetch(api, {
  method: 'POST',
  headers,
  body: JSON.stringify({ images: [{ input_url: 'https://shop.example/mug.jpg' }] }),
}).then((response) => response.json());

let batch;
do {
  batch = await fetch(\`\${api}/status/\${created.batch_id}?wait=25\`, { headers }).then((response) => response.json());
} while (batch.status === 'queued' || batch.status === 'processing');

for (const image of batch.images) console.log(image.status, image.clean_download_url);`;

const python = (url: string): string => `import os, requests

api = "${url}"
headers = {"Authorization": f"Bearer {os.environ['PACKSHOT_KEY']}"}

created = requests.post(api, headers=headers, json={
    "images": [{"input_url": "https://shop.example/mug.jpg"}],
}).json()

while True:
    batch = requests.get(f"{api}/status/{created['batch_id']}", headers=headers, params={"wait": 25}).json()
    if batch["status"] not in ("queued", "processing"):
        break

for image in batch["images"]:
    print(image["status"], image.get("clean_download_url"))`;

/** The address is this portal's own. */
export const batchSamples = (): readonly Sample[] => {
  const url = location.origin + paths.hero;
  return [
    { name: 'curl', language: 'sh', source: curl(url) },
    { name: 'JavaScript', language: 'js', source: javascript(url) },
    { name: 'Python', language: 'py', source: python(url) },
  ];
};
