/** Three nodes on one journal, and what each of them said about which job it ran when. */
import { type LogLine, type NodeProcess, startNodeProcess } from '../origin/support/process.ts';

export type Fleet = {
  /** Places in the fleet; a place is empty while its node is being replaced. */
  urls(): string[];
  /** Kills the node in one place with SIGKILL and puts a new one there. */
  replace(place: number): Promise<void>;
  intervals(): RunInterval[];
  stop(): Promise<void>;
};
/** A job on a node, from its claim to its end or its node's death. Unix time, ms. */
export type RunInterval = { readonly jobId: string; readonly node: string; readonly from: number; readonly to: number };

type Lived = { readonly process: NodeProcess; diedAt: number };

const timeOf = (line: LogLine): number => Date.parse(line.time);

const intervalsOf = ({ process: { lines, name }, diedAt }: Lived): RunInterval[] =>
  lines.flatMap((line, i) => {
    if (line.msg !== 'job claimed') return [];
    const jobId = String(line['job_id']);
    const end = lines
      .slice(i)
      .find((later) => later.msg === 'job finished' && later['job_id'] === jobId && later['fence'] === line['fence']);
    return [{ jobId, node: name, from: timeOf(line), to: end ? timeOf(end) : diedAt }];
  });

export const startFleet = async (size: number, env: Record<string, string>): Promise<Fleet> => {
  const lived: Lived[] = [];
  const start = async (place: number): Promise<Lived> => {
    const one: Lived = {
      process: await startNodeProcess({ ...env, NODE_NAME: `node-${place}` }, 120_000),
      diedAt: Infinity,
    };
    lived.push(one);
    return one;
  };
  const places: (Lived | undefined)[] = await Promise.all(Array.from({ length: size }, (_, place) => start(place)));
  const end = async (one: Lived, signal: NodeJS.Signals): Promise<void> => {
    one.process.kill(signal);
    await one.process.ended;
    one.diedAt = Date.now();
  };
  return {
    urls: () => places.flatMap((one) => one?.process.url ?? []),
    replace: async (place) => {
      const one = places[place];
      if (!one) return;
      places[place] = undefined;
      await end(one, 'SIGKILL');
      places[place] = await start(place);
    },
    intervals: () => lived.flatMap(intervalsOf),
    stop: async () => void (await Promise.all(places.map((one) => one && end(one, 'SIGTERM')))),
  };
};
