/** Checking the signature of a webhook, in several languages. */
import type { Sample } from '../components/sample.ts';

const typescript = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.PACKSHOT_WEBHOOK_SECRET ?? ''); // whsec_…

export async function POST(request: Request): Promise<Response> {
  const body = await request.text(); // the raw bytes, before any parsing
  try {
    const batch = webhook.verify(body, Object.fromEntries(request.headers)) as { batch_id: string; status: string };
    console.log(batch.batch_id, batch.status);
    return new Response(null, { status: 204 });
  } catch {
    return new Response('bad signature', { status: 400 });
  }
}`;

const python = `# pip install flask packshot
import os

from flask import Flask, request
from packshot import SignatureError, webhooks

app = Flask(__name__)
secret = os.environ["PACKSHOT_WEBHOOK_SECRET"]  # whsec_…


@app.post("/packshot")
def packshot():
    try:
        batch = webhooks.unwrap(secret, request.headers, request.get_data())
    except SignatureError:
        return "bad signature", 400
    print(batch.batch_id, batch.status)
    return "", 204`;

const withoutLibrary = `import { createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Record<string, string>;

export function verify(rawBody: string, headers: Headers, secret: string): unknown {
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
}`;

export const verificationSamples: readonly Sample[] = [
  { name: 'TypeScript', language: 'ts', source: typescript },
  { name: 'Python', language: 'py', source: python },
  { name: 'Without a library', language: 'ts', source: withoutLibrary },
];
