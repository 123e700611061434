/** The command line in a process of its own, as a shell starts it, without a terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const main = join(import.meta.dirname, '..', '..', '..', 'clients', 'typescript', 'cli', 'main.ts');

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
export type Running = { readonly child: ChildProcess; readonly ended: Promise<Ended> };

export const startCli = (
  args: readonly string[],
  env: Record<string, string>,
  input?: string | Uint8Array,
): Running => {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const whole = async (): Promise<Ended> => {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stdout, stderr };
  };
  return { child, ended: whole() };
};

/** The lines of --json. */
export const linesOf = ({ stdout }: Ended): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
