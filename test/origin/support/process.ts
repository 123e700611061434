/** A node as a process of its own, with its log lines. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { publicKeySet } from '../../support/service-keys.ts';

export type LogLine = {
  readonly msg: string;
  readonly time: string;
  readonly node: string;
  readonly [field: string]: unknown;
};
export type NodeProcess = {
  readonly url: string;
  readonly managementUrl: string;
  readonly name: string;
  readonly pid: number;
  readonly lines: LogLine[];
  /** Everything it printed, to be searched for secrets. */
  readonly text: () => string;
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<number | string>;
  waitFor(found: (line: LogLine) => boolean, msMax?: number): Promise<LogLine>;
  kill(signal: NodeJS.Signals): void;
};

const MAIN = fileURLToPath(new URL('../../../origin/main.ts', import.meta.url));

const waitForLine = (
  lines: readonly LogLine[],
  child: ChildProcess,
  text: () => string,
  found: (line: LogLine) => boolean,
  msMax: number,
): Promise<LogLine> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearInterval(timer);
      child.off('exit', onExit);
    };
    const giveUp = (reason: string): void => {
      stop();
      reject(new Error(`${reason}:\n${text()}`));
    };
    const check = (): void => {
      const line = lines.find(found);
      if (line) {
        stop();
        resolve(line);
      } else if (performance.now() > giveUpAt) giveUp(`no such line within ${msMax} ms`);
    };
    // The last lines may still be on their way.
    const onExit = (): void => {
      setTimeout(() => {
        check();
        giveUp('the node ended');
      }, 50);
    };
    const giveUpAt = performance.now() + msMax;
    const timer = setInterval(check, 20);
    child.once('exit', onExit);
    check();
  });

/** Starts a node on a free port and waits until it is ready. Throws its output where it does not get ready. */
export const startNodeProcess = async (
  env: { STORAGE_URLS: string } & Record<string, string>,
  msMax = 110_000,
): Promise<NodeProcess> => {
  const child = spawn(process.execPath, ['--no-warnings', MAIN], {
    env: {
      ...process.env,
      ORIGIN_PORT: '0',
      ENVIRONMENT: 'local',
      SERVICE_PUBLIC_KEYS: publicKeySet,
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: LogLine[] = [];
  const raw: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      raw.push(line);
      if (line.startsWith('{')) lines.push(JSON.parse(line) as LogLine);
    });
  }
  const text = (): string => raw.join('\n');
  const ended = new Promise<number | string>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 0)),
  );
  const waitFor: NodeProcess['waitFor'] = (found, ms = 30_000) => waitForLine(lines, child, text, found, ms);
  const ready = await waitFor((line) => line.msg === 'ready', msMax).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url: String(ready['url']),
    managementUrl: String(ready['management_url']),
    name: ready.node,
    pid: child.pid ?? 0,
    lines,
    text,
    ended,
    waitFor,
    kill: (signal) => void child.kill(signal),
  };
};
