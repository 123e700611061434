/** The same request once more, in several languages: by curl, and by the published clients. The key is a variable. */
import { paths } from '../../../shared/paths.ts';
import { inShell } from './in-shell.ts';
import { origin } from './origin.ts';

/** As components/code-tabs.tsx takes it. */
type Program = { readonly name: string; readonly language: 'sh' | 'ts' | 'py'; readonly source: string };
type Fields = readonly (readonly [name: string, value: string])[];
/** `sources`: file names of an upload, or addresses of a batch. */
export type Again = {
  readonly style: 'upload' | 'batch';
  readonly sources: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
};

const NUMERIC = new Set(['fill', 'quality']);
const isNumber = (name: string, value: string): boolean =>
  NUMERIC.has(name) || (name === 'canvas' && /^\d+$/.test(value));

/** File names and addresses are a caller's: each language gets them as text that it reads as nothing else. */
/** JSON's texts are texts of TypeScript and Python too. */
const inCode = (text: string): string => JSON.stringify(text);
const literal = ([name, value]: Fields[number]): string => (isNumber(name, value) ? value : inCode(value));
/** A file name in curl's own quotes, so that no sign in it ends it. */
const filePart = (name: string): string => inShell(`files=@"${name.replace(/["\\]/g, '\\$&')}"`);

const curl = ({ style, sources, fields }: Again): string => {
  const head = [`curl ${origin()}${paths.hero} \\`, '  -H "Authorization: Bearer $PACKSHOT_KEY" \\'];
  if (style === 'upload')
    return [
      ...head,
      ...Object.entries(fields).map(([name, value]) => `  -F ${inShell(`${name}=${value}`)} \\`),
      sources.map((name) => `  -F ${filePart(name)}`).join(' \\\n'),
    ].join('\n');
  const options = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isNumber(name, value) ? Number(value) : value]),
  );
  const body = JSON.stringify({ images: sources.map((url) => ({ input_url: url })), options }, null, 2);
  return [...head, '  -H "Content-Type: application/json" \\', `  -d ${inShell(body)}`].join('\n');
};

const optionsInTypescript = (fields: Fields): string =>
  fields.length === 0 ? '' : `, { ${fields.map((field) => `${field[0]}: ${literal(field)}`).join(', ')} }`;

const typescript = ({ style, sources, fields }: Again): string => {
  const options = optionsInTypescript(Object.entries(fields));
  const [first = ''] = sources;
  const begin = `// npm install packshot
import { writeFile } from 'node:fs/promises';
import { Packshot } from 'packshot';

const packshot = new Packshot({ apiKey: process.env.PACKSHOT_KEY, baseUrl: ${inCode(origin())} });
`;
  if (style === 'upload' && sources.length === 1)
    return `${begin}const image = await packshot.create(${inCode(first)}${options});
await writeFile(image.filename, await packshot.download(image));
console.log(image.url);`;
  return `${begin}const batch = await packshot.createBatch([${sources.map(inCode).join(', ')}]${options});
for await (const one of batch) {
  if (one.status === 'completed') {
    await writeFile(one.image.filename, await packshot.download(one.image));
    console.log(one.image.url);
  } else {
    console.error(one.image_id, one.error.code, one.error.message); // not charged
  }
}`;
};

const python = ({ style, sources, fields }: Again): string => {
  const given = Object.entries(fields).map((field) => `${field[0]}=${literal(field)}`);
  const options = given.length === 0 ? '' : `, options=Options(${given.join(', ')})`;
  const begin = (names: string): string => `# pip install packshot
from packshot import ${[...names.split(' '), ...(options ? ['Options'] : []), 'Packshot'].filter(Boolean).join(', ')}

with Packshot(base_url=${inCode(origin())}) as client:  # the key is read from PACKSHOT_KEY
`;
  const [first = ''] = sources;
  if (style === 'upload' && sources.length === 1)
    return `${begin('')}    image = client.create(${inCode(first)}${options})
    client.download(image, f"{image.image_id}.{image.format.lower()}")
    print(image.url)`;
  return `${begin('CompletedImage')}    batch = client.create_batch([${sources.map(inCode).join(', ')}]${options})
    for image in client.finished(batch):
        if isinstance(image, CompletedImage):
            client.download(image, image.filename)
            print(image.clean_download_url)
        else:
            print(image.image_id, image.error.code, image.error.detail)  # not charged`;
};

/** The address is this portal's own. */
export const againSamples = (again: Again): readonly Program[] => [
  { name: 'curl', language: 'sh', source: curl(again) },
  { name: 'TypeScript', language: 'ts', source: typescript(again) },
  { name: 'Python', language: 'py', source: python(again) },
];
