/**
 * One child process in its own process group, so that ending it ends all it started: wrangler killed alone leaves a
 * workerd that holds the port.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Below a node's drain time, which is for the jobs of others: here somebody waits for Ctrl-C to end. */
const STOP_GRACE_MS = 15_000;
const KILL_GRACE_MS = 5_000;
const GROUP_POLL_MS = 50;
/** A log that could not be written is tried again after so long. */
const LOG_RETRY_MS = 1_000;
const LOG_WAITING_BYTES_MAX = 8 * 1024 * 1024;

export type Child = {
  readonly name: string;
  readonly pid: number;
  /** Resolves with the exit code or the signal's name. */
  readonly exited: Promise<number | string>;
  isRunning: () => boolean;
  /** SIGTERM to the group, SIGKILL to what is left after `graceMs`. */
  stop: (graceMs?: number) => Promise<void>;
  /** SIGKILL to the whole group, as a power cut would. */
  kill: () => Promise<void>;
};

export type ChildOptions = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logFile: string;
};

export const startChild = ({ name, command, args, env, cwd, logFile }: ChildOptions): Child => {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = openLog(logFile);
  child.stdout.on('data', log.write);
  child.stderr.on('data', log.write);
  const exited = exitOf(child).finally(log.close);
  let running = true;
  void exited.then(() => {
    running = false;
  });
  const pid = child.pid ?? 0;
  return {
    name,
    pid,
    exited,
    isRunning: () => running,
    stop: async (graceMs = STOP_GRACE_MS) => {
      signalGroup(pid, 'SIGTERM');
      await waitForGroup(pid, graceMs);
      signalGroup(pid, 'SIGKILL');
      await exited;
    },
    kill: async () => {
      signalGroup(pid, 'SIGKILL');
      await exited;
      await waitForGroup(pid, KILL_GRACE_MS);
    },
  };
};

/**
 * What cannot be written, on a full disk for one, is dropped: the process is read on, or it would wait for ever with its
 * next line, and the launcher goes on.
 */
const openLog = (file: string) => {
  const open = () => {
    const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
    // A stream that failed once takes nothing more.
    stream.on('error', () => (failedAtMs = Date.now()));
    return stream;
  };
  let failedAtMs: number | undefined;
  let stream = open();
  return {
    write: (chunk: Buffer): void => {
      if (failedAtMs !== undefined && Date.now() - failedAtMs < LOG_RETRY_MS) return;
      if (failedAtMs !== undefined) {
        failedAtMs = undefined;
        stream = open();
      }
      if (stream.writableLength < LOG_WAITING_BYTES_MAX) stream.write(chunk);
    },
    close: (): void => void stream.end(),
  };
};

const exitOf = async (child: ChildProcess): Promise<number | string> => {
  const failed = once(child, 'error').then(([error]) => `failed to start: ${(error as Error).message}`);
  const ended = once(child, 'exit').then(([code, signal]) => (code as number | null) ?? String(signal));
  return Promise.race([ended, failed]);
};

/** False where no process of the group is left. */
export const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return pid > 0 && process.kill(-pid, signal);
  } catch (error) {
    // EPERM: the group has ended and another user's has its id now.
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')) return false;
    throw error;
  }
};

/** Until no process of the group is left, `ms` at most. */
export const waitForGroup = async (pid: number, ms: number): Promise<void> => {
  const giveUpAt = Date.now() + ms;
  while (Date.now() < giveUpAt && signalGroup(pid, 0)) await sleep(GROUP_POLL_MS);
};
