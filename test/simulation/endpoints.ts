/** In some seeds an account has a webhook endpoint from before the trouble on, which is to hear of all that happens. */
import type { Book } from './auditor/book.ts';
import { hashOf } from './outside/origin.ts';
import { inPortal, inWorld } from './owner.ts';
import type { World } from './world.ts';

const SEEDS_PER_SEED_WITH_AN_ENDPOINT = 6;

/** By the seed alone, so that seeds without one are what they were before there were any. */
export const hasEndpoint = (seed: number): boolean =>
  hashOf(`endpoint ${seed}`) % SEEDS_PER_SEED_WITH_AN_ENDPOINT === 0;

export const addEndpoint = async (world: World, book: Book): Promise<void> => {
  const account = world.random.pick(book.accounts);
  const url = `https://endpoint.hook-server.net/${account.accountId}`;
  await inWorld(world, () => inPortal(world, (portal) => portal.addEndpoint(account.accountId, url)));
  book.endpoints.push({ account, url, sinceMs: world.now() });
};
