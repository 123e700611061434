/** The same call before and after the move from remove.bg. */
import { paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/sample.ts';
import { origin } from './origin.ts';

const THERE = 'https://api.remove.bg/v1.0/removebg';
const here = (): string => origin() + paths.removebg;

const curl = (url: string): string => `curl ${url} \\
  -H "X-Api-Key: $KEY" \\
  -F "image_file=@photo.jpg" \\
  -F size=auto \\
  -o photo.png`;

const javascript = (url: string): string => `import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';

const form = new FormData();
form.append('image_file', await openAsBlob('photo.jpg'), 'photo.jpg');
form.append('size', 'auto');
const response = await fetch('${url}', {
  method: 'POST',
  headers: { 'X-Api-Key': process.env.KEY },
  body: form,
});
if (!response.ok) throw new Error((await response.json()).errors[0].title);
await writeFile('photo.png', Buffer.from(await response.arrayBuffer()));`;

const python = (url: string): string => `import os
import requests

response = requests.post(
    "${url}",
    headers={"X-Api-Key": os.environ["KEY"]},
    files={"image_file": open("photo.jpg", "rb")},
    data={"size": "auto"},
)
response.raise_for_status()
open("photo.png", "wb").write(response.content)`;

/** PyPI's removebg reads its address from this variable. */
export const pypiSample = (): string => `import removebg.removebg

removebg.removebg.API_ENDPOINT = "${here()}"`;

const samples = (url: string): readonly Sample[] => [
  { name: 'curl', language: 'sh', source: curl(url) },
  { name: 'JavaScript', language: 'ts', source: javascript(url) },
  { name: 'Python', language: 'py', source: python(url) },
];
export const before = (): readonly Sample[] => samples(THERE);
export const after = (): readonly Sample[] => samples(here());
