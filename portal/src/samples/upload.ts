/** An upload in several languages. */

import { paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/code-tabs.tsx';

type Fields = readonly (readonly [name: string, value: string])[];

const curl = (url: string, file: string, fields: Fields): string =>
  [
    `curl ${url} \\`,
    '  -H "Authorization: Bearer $PACKSHOT_KEY" \\',
    ...fields.map(([name, value]) => `  -F ${name}=${value} \\`),
    `  -F "files=@${file}"`,
  ].join('\n');

const javascript = (url: string, file: string, fields: Fields): string => `import { openAsBlob } from 'node:fs';

const form = new FormData();
form.append('files', await openAsBlob('${file}'), '${file}');
${fields.map(([name, value]) => `form.append('${name}', '${value}');\n`).join('')}
const response = await fetch('${url}', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.PACKSHOT_KEY}\` },
  body: form,
});
const { results } = await response.json();
console.log(results[0].clean_url);`;

const python = (url: string, file: string, fields: Fields): string => {
  const data = fields.map(([name, value]) => `"${name}": "${value}"`).join(', ');
  return `import os, requests

with open("${file}", "rb") as photo:
    response = requests.post(
        "${url}",
        headers={"Authorization": f"Bearer {os.environ['PACKSHOT_KEY']}"},
        files={"files": photo},${data && `\n        data={${data}},`}
    )
response.raise_for_status()
print(response.json()["results"][0]["clean_url"])`;
};

/** `options` are the form fields beside the file. The address is this portal's own. */
export const uploadSamples = (
  file = 'photo.jpg',
  options: Readonly<Record<string, string>> = {},
): readonly Sample[] => {
  const url = location.origin + paths.hero;
  const fields = Object.entries(options);
  return [
    { name: 'curl', language: 'sh', source: curl(url, file, fields) },
    { name: 'JavaScript', language: 'js', source: javascript(url, file, fields) },
    { name: 'Python', language: 'py', source: python(url, file, fields) },
  ];
};
