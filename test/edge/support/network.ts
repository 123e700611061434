/** The network between callers and Durable Objects: answers that are lost, calls that never arrive. */
import { vi } from 'vitest';
import { bindings } from './service.ts';

/** `lost`: the object acts and nobody hears of it. `refused`: the object takes no more calls. `silent`: no answer ever. */
export type Mishap = 'lost' | 'never_arrives' | 'refused' | 'silent';

const platformError = (mishap: Mishap): Error =>
  mishap === 'refused'
    ? Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true })
    : Object.assign(new Error('Network connection lost.'), { retryable: true });

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * `mishapOf` is asked at every call of a method of the binding's objects, with the number of calls to that method so
 * far. A stub that has failed stays failed, as the platform's do. Undo with `vi.restoreAllMocks()`.
 */
export const brokenCalls = (
  binding: 'ACCOUNT' | 'HISTORY' | 'SAGA',
  mishapOf: (method: string, calls: number) => Mishap | undefined,
): { readonly calls: Map<string, number> } => {
  const calls = new Map<string, number>();
  const namespace = bindings[binding];
  const get = namespace.get.bind(namespace);
  vi.spyOn(namespace, 'get').mockImplementation(((id: DurableObjectId) => {
    const stub = get(id) as unknown as Record<string, Call>;
    let broken: Error | undefined;
    return new Proxy(
      {},
      {
        get:
          (_target, method: string) =>
          async (...args: unknown[]): Promise<unknown> => {
            if (broken) throw broken;
            const count = (calls.get(method) ?? 0) + 1;
            calls.set(method, count);
            const mishap = mishapOf(method, count);
            if (mishap === undefined || mishap === 'lost') {
              const answer = await stub[method]?.(...args);
              if (mishap === undefined) return answer;
            }
            if (mishap === 'silent') return new Promise(() => {});
            broken = platformError(mishap);
            throw broken;
          },
      },
    );
  }) as never);
  return { calls };
};
