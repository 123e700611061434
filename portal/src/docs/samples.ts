/** The lines that documentation and playground show. `origin` is this portal's own address. */
import type { Sample } from '../ui/code.tsx';

const here = (): string => location.origin;

export const uploadSamples = (
  file = 'photo.jpg',
  options: Readonly<Record<string, string>> = {},
  base = here(),
): readonly Sample[] => {
  const fields = Object.entries(options);
  return [
    {
      name: 'curl',
      language: 'sh',
      source: [
        `curl ${base}/api/v1/service-hero \\`,
        '  -H "Authorization: Bearer $PACKSHOT_KEY" \\',
        ...fields.map(([name, value]) => `  -F ${name}=${value} \\`),
        `  -F "files=@${file}"`,
      ].join('\n'),
    },
    {
      name: 'JavaScript',
      language: 'js',
      source: `import { openAsBlob } from 'node:fs';

const form = new FormData();
form.append('files', await openAsBlob('${file}'), '${file}');
${fields.map(([name, value]) => `form.append('${name}', '${value}');\n`).join('')}
const response = await fetch('${base}/api/v1/service-hero', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.PACKSHOT_KEY}\` },
  body: form,
});
const { results } = await response.json();
console.log(results[0].clean_url);`,
    },
    {
      name: 'Python',
      language: 'py',
      source: `import os, requests

with open("${file}", "rb") as photo:
    response = requests.post(
        "${base}/api/v1/service-hero",
        headers={"Authorization": f"Bearer {os.environ['PACKSHOT_KEY']}"},
        files={"files": photo},${fields.length > 0 ? `\n        data={${fields.map(([name, value]) => `"${name}": "${value}"`).join(', ')}},` : ''}
    )
response.raise_for_status()
print(response.json()["results"][0]["clean_url"])`,
    },
  ];
};

export const batchSamples = (base = here()): readonly Sample[] => [
  {
    name: 'curl',
    language: 'sh',
    source: `curl ${base}/api/v1/service-hero \\
  -H "Authorization: Bearer $PACKSHOT_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"images": [{"input_url": "https://shop.example/mug.jpg"},
                  {"input_url": "https://shop.example/lamp.png"}]}'

# then, with the batch_id of the answer
curl "${base}/api/v1/service-hero/status/$BATCH_ID?wait=25" \\
  -H "Authorization: Bearer $PACKSHOT_KEY"`,
  },
  {
    name: 'JavaScript',
    language: 'js',
    source: `const api = '${base}/api/v1/service-hero';
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

for (const image of batch.images) console.log(image.status, image.clean_download_url);`,
  },
  {
    name: 'Python',
    language: 'py',
    source: `import os, requests

api = "${base}/api/v1/service-hero"
headers = {"Authorization": f"Bearer {os.environ['PACKSHOT_KEY']}"}

created = requests.post(api, headers=headers, json={
    "images": [{"input_url": "https://shop.example/mug.jpg"}],
}).json()

while True:
    batch = requests.get(f"{api}/status/{created['batch_id']}", headers=headers, params={"wait": 25}).json()
    if batch["status"] not in ("queued", "processing"):
        break

for image in batch["images"]:
    print(image["status"], image.get("clean_download_url"))`,
  },
];

export const verificationSamples: readonly Sample[] = [
  {
    name: 'JavaScript',
    language: 'js',
    source: `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.PACKSHOT_WEBHOOK_SECRET); // whsec_…

export async function POST(request) {
  const body = await request.text(); // the raw bytes, before any parsing
  try {
    const batch = webhook.verify(body, Object.fromEntries(request.headers));
    console.log(batch.batch_id, batch.status);
    return new Response(null, { status: 204 });
  } catch {
    return new Response('bad signature', { status: 400 });
  }
}`,
  },
  {
    name: 'Python',
    language: 'py',
    source: `import os
from flask import Flask, request
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["PACKSHOT_WEBHOOK_SECRET"])  # whsec_…

@app.post("/packshot")
def packshot():
    try:
        batch = webhook.verify(request.get_data(), dict(request.headers))
    except WebhookVerificationError:
        return "bad signature", 400
    print(batch["batch_id"], batch["status"])
    return "", 204`,
  },
  {
    name: 'Without a library',
    language: 'js',
    source: `import { createHmac, timingSafeEqual } from 'node:crypto';

export function verify(rawBody, headers, secret) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) throw new Error('too old');

  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${rawBody}\`).digest();

  const genuine = headers['webhook-signature'].split(' ').some((entry) => {
    const [version, signature] = entry.split(',');
    const given = Buffer.from(signature ?? '', 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!genuine) throw new Error('bad signature');
  return JSON.parse(rawBody);
}`,
  },
];
