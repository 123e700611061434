/** An upload in several languages. The address is this portal's own. */

import { paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/code-tabs.tsx';
import { origin } from './origin.ts';

type Fields = readonly (readonly [name: string, value: string])[];

/** File names come from whoever dropped the file: each language gets them as text that it reads as nothing else. */
const inShell = (text: string): string => text.replace(/["$`\\]/g, '\\$&');
const inTypescript = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;

const request = (url: string, file: string, fields: Fields): string[] => [
  `curl ${url} \\`,
  '  -H "Authorization: Bearer $PACKSHOT_KEY" \\',
  ...fields.map(([name, value]) => `  -F ${name}=${value} \\`),
  `  -F "files=@${inShell(file)}"`,
];

const curlProgram = (url: string, file: string, fields: Fields): string =>
  `${request(url, file, fields).join('\n')} -o answer.json

LINK=$(grep -o 'http[^"]*/downloads/[^"]*' answer.json | head -n 1)
if [ -n "$LINK" ]; then
  curl -o main-image.jpg "$LINK" && echo "$LINK"
else
  grep -o '"code": *"[^"]*"' answer.json  # what went wrong
fi`;

const typescript = (
  url: string,
  file: string,
  fields: Fields,
): string => `import { openAsBlob, writeFileSync } from 'node:fs';

const form = new FormData();
form.append('files', await openAsBlob(${inTypescript(file)}), ${inTypescript(file)});
${fields.map(([name, value]) => `form.append('${name}', '${value}');\n`).join('')}
const response = await fetch('${url}', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.PACKSHOT_KEY}\` },
  body: form,
});
type Failed = { code: string; detail: string };
type Answer = Failed & { results?: { clean_url?: string; error?: Failed }[] };
const answer = (await response.json()) as Answer;

// A request that is refused has a code, and so has a file that fails.
const [result] = answer.results ?? [{ error: answer }];
if (result.clean_url) {
  const image = await fetch(result.clean_url);
  writeFileSync('main-image.jpg', Buffer.from(await image.arrayBuffer()));
  console.log(result.clean_url);
} else {
  console.error(result.error.code, result.error.detail);
}`;

const NUMERIC = new Set(['canvas', 'fill', 'quality']);

const python = (base: string, file: string, fields: Fields): string => {
  const options = fields.map(([name, value]) => `${name}=${NUMERIC.has(name) ? value : `"${value}"`}`).join(', ');
  return `# pip install packshot
from packshot import APIError, ${options && 'Options, '}Packshot

with Packshot(base_url="${base}") as client:  # the key is read from PACKSHOT_KEY
    try:
        image = client.create(${JSON.stringify(file)}${options && `, options=Options(${options})`})
        client.download(image, "main-image.jpg")
        print(image.url)
    except APIError as error:
        print(error.code, error.detail)`;
};

const samples = (
  file: string,
  options: Readonly<Record<string, string>>,
  curl: (url: string, file: string, fields: Fields) => string,
): readonly Sample[] => {
  const url = origin() + paths.hero;
  const fields = Object.entries(options);
  return [
    { name: 'curl', language: 'sh', source: curl(url, file, fields) },
    { name: 'TypeScript', language: 'ts', source: typescript(url, file, fields) },
    { name: 'Python', language: 'py', source: python(origin(), file, fields) },
  ];
};

/** Programs that save the image, or say the code of what went wrong. `options` are the form fields beside the file. */
export const uploadPrograms = (file = 'photo.jpg', options: Readonly<Record<string, string>> = {}): readonly Sample[] =>
  samples(file, options, curlProgram);

/** The same, with the bare request for curl. */
export const uploadSamples = (file = 'photo.jpg', options: Readonly<Record<string, string>> = {}): readonly Sample[] =>
  samples(file, options, (url, name, fields) => request(url, name, fields).join('\n'));

/** With what is product in it, from a file of its own. */
export const matteProgram = (): string =>
  curlProgram(`${origin()}${paths.hero}`, 'photo.jpg', [['matte', '@matte.png']]);
