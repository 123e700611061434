/** An upload in several languages. */

import { paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/code-tabs.tsx';
import { origin } from './origin.ts';

type Fields = readonly (readonly [name: string, value: string])[];

const curl = (url: string, file: string, fields: Fields): string =>
  [
    `curl ${url} \\`,
    '  -H "Authorization: Bearer $PACKSHOT_KEY" \\',
    ...fields.map(([name, value]) => `  -F ${name}=${value} \\`),
    `  -F "files=@${file}"`,
  ].join('\n');

const typescript = (url: string, file: string, fields: Fields): string => `import { openAsBlob } from 'node:fs';

const form = new FormData();
form.append('files', await openAsBlob('${file}'), '${file}');
${fields.map(([name, value]) => `form.append('${name}', '${value}');\n`).join('')}
const response = await fetch('${url}', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.PACKSHOT_KEY}\` },
  body: form,
});
if (!response.ok) throw new Error(await response.text());
const { results } = (await response.json()) as { results: { clean_url: string }[] };
console.log(results[0].clean_url);`;

const NUMERIC = new Set(['canvas', 'fill', 'quality']);

const python = (base: string, file: string, fields: Fields): string => {
  const options = fields.map(([name, value]) => `${name}=${NUMERIC.has(name) ? value : `"${value}"`}`).join(', ');
  return `# pip install packshot
from packshot import ${options && 'Options, '}Packshot

with Packshot(base_url="${base}") as client:  # the key is read from PACKSHOT_KEY
    image = client.create("${file}"${options && `, options=Options(${options})`})
    client.download(image, "main-image.jpg")
    print(image.url)`;
};

/** `options` are the form fields beside the file. The address is this portal's own. */
export const uploadSamples = (
  file = 'photo.jpg',
  options: Readonly<Record<string, string>> = {},
): readonly Sample[] => {
  const url = origin() + paths.hero;
  const fields = Object.entries(options);
  return [
    { name: 'curl', language: 'sh', source: curl(url, file, fields) },
    { name: 'TypeScript', language: 'ts', source: typescript(url, file, fields) },
    { name: 'Python', language: 'py', source: python(origin(), file, fields) },
  ];
};
