/** Nodes that share one job store, and when each of them ran which job by its own log. */
import { type LogLine, type NodeProcess, startNodeProcess } from '../origin/support/process.ts';

export type Fleet = {
  /** Addresses of the nodes; one that is being replaced is left out. */
  urls(): string[];
  /** Kills a node with SIGKILL and starts a new one in its position, 0 to size − 1. */
  replace(index: number): Promise<void>;
  intervals(): RunInterval[];
  stop(): Promise<void>;
};
/** A job on a node, from its claim to its end or its node's death. Unix time, ms. */
export type RunInterval = { readonly jobId: string; readonly node: string; readonly from: number; readonly to: number };

/** A node that ends before is noticed at once; this is only for one that hangs. */
const START_MS_MAX = 300_000;

type Lived = { readonly process: NodeProcess; diedAt: number };

const timeOf = (line: LogLine): number => Date.parse(line.time);

const intervalsOf = ({ process: { lines, name }, diedAt }: Lived): RunInterval[] =>
  lines.flatMap((line, i) => {
    if (line.msg !== 'job claimed') return [];
    const jobId = String(line['job_id']);
    const end = lines
      .slice(i)
      .find(
        (later) =>
          later.msg === 'job finished' && later['job_id'] === jobId && later['fencing_token'] === line['fencing_token'],
      );
    return [{ jobId, node: name, from: timeOf(line), to: end ? timeOf(end) : diedAt }];
  });

export const startFleet = async (
  size: number,
  env: { STORAGE_URLS: string } & Record<string, string>,
): Promise<Fleet> => {
  const lived: Lived[] = [];
  const start = async (index: number): Promise<Lived> => {
    const one: Lived = {
      process: await startNodeProcess({ ...env, NODE_NAME: `node-${index}` }, START_MS_MAX),
      diedAt: Infinity,
    };
    lived.push(one);
    return one;
  };
  const nodes: (Lived | undefined)[] = await Promise.all(Array.from({ length: size }, (_, index) => start(index)));
  const end = async (one: Lived, signal: NodeJS.Signals): Promise<void> => {
    one.process.kill(signal);
    await one.process.ended;
    one.diedAt = Date.now();
  };
  return {
    urls: () => nodes.flatMap((one) => one?.process.url ?? []),
    replace: async (index) => {
      const one = nodes[index];
      if (!one) return;
      nodes[index] = undefined;
      await end(one, 'SIGKILL');
      nodes[index] = await start(index);
    },
    intervals: () => lived.flatMap(intervalsOf),
    stop: async () => void (await Promise.all(nodes.map((one) => one && end(one, 'SIGTERM')))),
  };
};
