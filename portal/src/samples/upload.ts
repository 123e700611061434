/** An upload in several languages. The address is this portal's own. */

import { paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/sample.ts';
import { origin } from './origin.ts';

type Fields = readonly (readonly [name: string, value: string])[];

/** `matte`: the file with what is product. `fields`: the form's other fields. */
type Call = { readonly file: string; readonly fields: Fields; readonly matte?: string | undefined };

/** File names come from whoever dropped the file: each language gets them as text that it reads as nothing else. */
const inShell = (text: string): string => text.replace(/["$`\\]/g, '\\$&');
const inTypescript = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;

/** To curl, a comma or a semicolon ends the name, unless that is quoted once more. */
const curlFile = (name: string): string => (/[,;"]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name);
const curlPart = (part: string, name: string): string => `  -F "${part}=@${inShell(curlFile(name))}"`;

const request = (url: string, { file, fields, matte }: Call): string =>
  [
    `curl ${url}`,
    '  -H "Authorization: Bearer $PACKSHOT_KEY"',
    ...fields.map(([name, value]) => `  -F ${name}=${value}`),
    curlPart('files', file),
    ...(matte ? [curlPart('matte', matte)] : []),
  ].join(' \\\n');

const curlProgram = (url: string, call: Call): string =>
  `${request(url, call)} -o answer.json

LINK=$(grep -o 'http[^"]*/downloads/[^"]*' answer.json | head -n 1)
if [ -n "$LINK" ]; then
  curl -o main-image.jpg "$LINK" && echo "$LINK"
else
  grep -o '"code": *"[^"]*"' answer.json  # what went wrong
fi`;

const typescriptPart = (part: string, name: string): string =>
  `form.append('${part}', await openAsBlob(${inTypescript(name)}), ${inTypescript(name)});\n`;

const typescriptParts = (file: string, fields: Fields, matte: string | undefined): string =>
  [
    typescriptPart('files', file),
    ...(matte ? [typescriptPart('matte', matte)] : []),
    ...fields.map(([name, value]) => `form.append('${name}', '${value}');\n`),
  ].join('');

const typescript = (
  url: string,
  { file, fields, matte }: Call,
): string => `import { openAsBlob, writeFileSync } from 'node:fs';

const form = new FormData();
${typescriptParts(file, fields, matte)}
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

const pythonWithMatte = (url: string, file: string, fields: Fields, matte: string): string => {
  const sent = fields.map(([name, value]) => `"${name}": "${value}"`).join(', ');
  return `# pip install requests
import os
import requests

with open(${JSON.stringify(file)}, "rb") as photo, open(${JSON.stringify(matte)}, "rb") as matte:
    response = requests.post(
        "${url}",
        headers={"Authorization": f"Bearer {os.environ['PACKSHOT_KEY']}"},
        files={"files": photo, "matte": matte},${sent && `\n        data={${sent}},`}
    )
answer = response.json()
if response.ok:
    link = answer["results"][0]["clean_url"]
    with open("main-image.jpg", "wb") as image:
        image.write(requests.get(link).content)
    print(link)
else:
    print(answer["code"], answer["detail"])`;
};

/** The Python client takes no matte. */
const python = (base: string, { file, fields, matte }: Call): string => {
  if (matte) return pythonWithMatte(base + paths.hero, file, fields, matte);
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

const samples = (call: Call, curl: (url: string, call: Call) => string): readonly Sample[] => {
  const url = origin() + paths.hero;
  return [
    { name: 'curl', language: 'sh', source: curl(url, call) },
    { name: 'TypeScript', language: 'ts', source: typescript(url, call) },
    { name: 'Python', language: 'py', source: python(origin(), call) },
  ];
};

/** Programs that save the image, or say the code of what went wrong. `options` are the form fields beside the file. */
export const uploadPrograms = (file = 'photo.jpg', options: Readonly<Record<string, string>> = {}): readonly Sample[] =>
  samples({ file, fields: Object.entries(options) }, curlProgram);

/** The same, with the bare request for curl. `matte`: the name of a file that says what is product. */
export const uploadSamples = (
  file = 'photo.jpg',
  options: Readonly<Record<string, string>> = {},
  matte?: string,
): readonly Sample[] => samples({ file, fields: Object.entries(options), matte }, request);

/** With what is product in it, from a file of its own. */
export const matteProgram = (): string =>
  curlProgram(`${origin()}${paths.hero}`, { file: 'photo.jpg', fields: [], matte: 'matte.png' });
