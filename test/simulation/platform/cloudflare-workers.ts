/** Stands in for the module `cloudflare:workers` where the edge runs in Node. */
export class DurableObject {
  readonly ctx: unknown;
  readonly env: unknown;
  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}
export class WorkerEntrypoint extends DurableObject {}
export class RpcTarget {}
/** Bindings come with the constructor here; nobody reads them off the module. */
export const env = {};
/** Marks a method as safe to be called twice by the platform's own retries, which this platform does not make. */
export const retryable = (): void => {};
