/** A check of one photo in several languages. */
import { paths } from '../../../shared/paths.ts';
import type { Sample } from '../components/sample.ts';
import { origin } from './origin.ts';

const curl = (url: string): string => `curl ${url} \\
  -H "Authorization: Bearer $PACKSHOT_KEY" \\
  -F marketplace=amazon \\
  -F "files=@photo.jpg"`;

const typescript = (url: string): string => `import { openAsBlob } from 'node:fs';

const form = new FormData();
form.append('marketplace', 'amazon');
form.append('files', await openAsBlob('photo.jpg'), 'photo.jpg');

const response = await fetch('${url}', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.PACKSHOT_KEY}\` },
  body: form,
});
if (!response.ok) throw new Error(await response.text());
const { findings } = (await response.json()) as { findings: { code: string; detail: string; remedy: string }[] };
console.log('findings:', findings.length);
for (const { code, detail, remedy } of findings) console.log(code, detail, remedy);`;

const python = (base: string): string => `# pip install packshot
from packshot import Options, Packshot

with Packshot(base_url="${base}") as client:  # the key is read from PACKSHOT_KEY
    check = client.check("photo.jpg", options=Options(marketplace="amazon"))
    print("findings:", len(check.findings))
    for finding in check.findings:
        print(finding.code, finding.detail, finding.remedy)`;

/** The address is this portal's own. */
export const checkSamples = (): readonly Sample[] => {
  const url = origin() + paths.check;
  return [
    { name: 'curl', language: 'sh', source: curl(url) },
    { name: 'TypeScript', language: 'ts', source: typescript(url) },
    { name: 'Python', language: 'py', source: python(origin()) },
  ];
};
