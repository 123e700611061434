/**
 * Cloudflare's published prices of the Workers Paid plan, USD, and limits. Read on 2026-11-21; by path under
 * developers.cloudflare.com.
 */
const MILLION = 1e6;
const BILLION = 1e9;

/** `free` units a month, then USD per unit. */
export const prices = {
  /** workers/platform/pricing */
  plan: 5,
  workerRequests: { free: 10 * MILLION, each: 0.3 / MILLION },
  workerCpuMs: { free: 30 * MILLION, each: 0.02 / MILLION },
  /** durable-objects/platform/pricing */
  objectRequests: { free: 1 * MILLION, each: 0.15 / MILLION },
  objectGbSeconds: { free: 400_000, each: 12.5 / MILLION },
  rowsWritten: { free: 50 * MILLION, each: 1 / MILLION },
  rowsRead: { free: 25 * BILLION, each: 0.001 / MILLION },
  objectGbMonths: { free: 5, each: 0.2 },
  /** queues/platform/pricing: writing, reading and deleting a message of up to 64 KB is one operation each. */
  queueOperations: { free: 1 * MILLION, each: 0.4 / MILLION },
  /** r2/pricing; no charge for what leaves it. */
  r2ClassA: { free: 1 * MILLION, each: 4.5 / MILLION },
  r2ClassB: { free: 10 * MILLION, each: 0.36 / MILLION },
  r2GbMonths: { free: 10, each: 0.015 },
} as const;

export const platform = {
  /** queues/platform/limits, per queue. */
  queueMessagesPerSecond: 5_000,
  queueConsumersMax: 250,
  /** durable-objects/platform/limits: requests of one object, a soft limit; bytes of one object. */
  objectCallsPerSecond: 1_000,
  objectBytesMax: 10 * BILLION,
} as const;
