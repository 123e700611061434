/** `packshot mcp`: the tools over standard input and output. The session is the process. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { mcpServer } from '../mcp/server.ts';
import type { Packshot } from '../src/index.ts';
import { budgetOf } from './budget.ts';

export const serveMcp = async (packshot: Packshot, creditsMax: number): Promise<void> => {
  const budget = budgetOf(creditsMax);
  const cap = {
    take: async () => {
      const taken = budget.take();
      return { taken, spent: budget.taken(), cap: creditsMax };
    },
    giveBack: async () => budget.giveBack(),
  };
  serveStdio(() => mcpServer({ packshot, cap }));
};
