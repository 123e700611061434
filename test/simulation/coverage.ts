/** Which lines of the edge the seeds ran, as V8 counts them. Types are stripped in place, so offsets are the source's. */
import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url).href;
const ROOMS = ['edge/account', 'edge/batch', 'edge/upload'] as const;

/** Per file (path from the root) its ranges, outer before inner; `count` 0 was never run. */
export type Covered = {
  readonly file: string;
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
};

/** Counts from now on, in this thread; what it returns ends the count. */
export const startCoverage = (): (() => readonly Covered[]) => {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return () => {
    let covered: Covered[] = [];
    session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      covered = result
        .filter(({ url }) => ROOMS.some((room) => url.startsWith(`${ROOT}${room}/`)))
        .map(({ url, functions }) => ({
          file: url.slice(ROOT.length),
          ranges: functions.flatMap(({ ranges }) => ranges),
        }));
    });
    session.disconnect();
    return covered;
  };
};

/** One line a file, and the total. */
export const coverageTable = (covered: readonly Covered[]): string => {
  const rows = ROOMS.flatMap((room) =>
    readdirSync(fileURLToPath(ROOT + room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => linesOf(`${room}/${name}`, covered)),
  ).filter(({ lines }) => lines > 0);
  const [lines, ran] = [rows.reduce((sum, row) => sum + row.lines, 0), rows.reduce((sum, row) => sum + row.ran, 0)];
  const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1).padStart(6)} %`;
  return [
    ...rows.map(
      (row) =>
        `${share(row.ran, row.lines)}  ${row.file}${row.missed.length > 0 ? `  not: ${row.missed.join(' ')}` : ''}`,
    ),
    `${share(ran, lines)}  of ${lines} lines in ${ROOMS.join(', ')}`,
  ].join('\n');
};

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

const linesOf = (file: string, covered: readonly Covered[]) => {
  const source = stripTypeScriptTypes(readFileSync(fileURLToPath(ROOT + file), 'utf8'));
  const code = source.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '));
  const ran = new Uint8Array(code.length);
  for (const one of covered) {
    if (one.file !== file) continue;
    const here = new Uint8Array(code.length);
    for (const { startOffset, endOffset, count } of one.ranges) here.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    for (const [i, value] of here.entries()) if (value) ran[i] = 1;
  }
  const missed: number[] = [];
  let [lines, offset] = [0, 0];
  for (const [i, line] of code.split('\n').entries()) {
    const first = line.search(/[\w'"`]/);
    if (first >= 0 && !/^\s*import\b/.test(line)) {
      lines++;
      const own = [...line].some((char, place) => /\S/.test(char) && ran[offset + place] === 1 && place >= first);
      if (!own) missed.push(i + 1);
    }
    offset += line.length + 1;
  }
  return { file, lines, ran: lines - missed.length, missed };
};
