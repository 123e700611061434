// Reads vitest's reports for .ci/run, on the system's Node: `report.mjs files|counts|reds FIRST [AGAIN]`. AGAIN is of the
// files that had a red test in FIRST.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [question, firstPath, againPath] = process.argv.slice(2);
const read = (path) => (path ? JSON.parse(readFileSync(path, 'utf8')).testResults : []);
const nameOf = (file) => relative(process.cwd(), file.name);
const redFiles = (files) => files.filter(({ status }) => status !== 'passed').map(nameOf);
/** Name of the test → why it is red; a file that could not run counts as one test. */
const redTests = (files) =>
  new Map(
    files.flatMap((file) => {
      const red = file.assertionResults.filter(({ status }) => status !== 'passed');
      const whole = red.length === 0 && file.status !== 'passed' ? [[nameOf(file), file.message]] : [];
      return [
        ...whole,
        ...red.map(({ fullName, failureMessages, status }) => [
          `${nameOf(file)} > ${fullName}`,
          failureMessages?.[0] ?? status,
        ]),
      ];
    }),
  );

const first = read(firstPath);
const again = read(againPath);
const before = redTests(first);
const after = againPath ? redTests(again) : before;
const all = first.reduce((sum, { assertionResults }) => sum + assertionResults.length, 0);
const answers = {
  files: () => redFiles(first),
  counts: () => [`${all - after.size} ${after.size}`],
  reds: () =>
    [...new Map([...before, ...after])].map(
      ([name, why]) =>
        `${after.has(name) ? 'red' : 'unsteady, green when run again'}: ${name}: ${String(why).split('\n')[0]}`,
    ),
};
for (const line of answers[question]()) console.log(line);
