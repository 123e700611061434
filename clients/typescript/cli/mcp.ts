/** `packshot mcp`: the edge's tools over standard input and output. The session is the process. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Api, mcpServer, type Refusal, type SpendCap } from '../../../edge/mcp/tools.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';
import { type Packshot, PackshotError } from '../src/index.ts';
import { version } from '../src/version.ts';

export const serveMcp = (packshot: Packshot, cap: number): void => {
  const toolset = { api: apiOf(packshot), cap: capOf(cap), version };
  serveStdio(() => mcpServer(toolset));
};

const apiOf = (packshot: Packshot): Api => ({
  createBatch: (url, options, signal) =>
    asResult(async () => (await packshot.createBatch([{ url }], options, { signal })).created),
  batchStatus: (batchId, waitSeconds, signal) =>
    asResult(() => packshot.batch(batchId).status({ signal, waitSeconds })),
  check: (url, options, signal) => asResult(() => packshot.check({ url }, options, { signal })),
  account: (signal) => asResult(async () => ({ ...(await packshot.account({ signal })) })),
});

const asResult = async <T>(work: () => Promise<T>): Promise<Result<T, Refusal>> => {
  try {
    return ok(await work());
  } catch (error) {
    if (!(error instanceof PackshotError)) throw error;
    const { code, message: detail, retryable, status } = error;
    return fail({ code, detail, retryable, status });
  }
};

const capOf = (cap: number): SpendCap => {
  let spent = 0;
  const giveBack = async (): Promise<void> => void spent--;
  return {
    takeOne: async () => {
      if (spent >= cap) return { taken: false, spent, cap };
      spent++;
      return { taken: true, giveBack };
    },
  };
};
