/**
 * The status page's contract: what is measured, and what `/status.json` answers. Times are ISO 8601 (UTC); latencies are
 * in ms.
 */

/**
 * What is measured, in the order of the page. `everyMs`: between two probes. `slowMs`: an answer that took longer counts
 * as slow.
 */
export const statusComponents = {
  api: {
    name: 'API',
    measured: 'A request to the public address, as a caller makes it',
    everyMs: 60_000,
    slowMs: 2_000,
  },
  ledger: {
    name: 'Credits and batches',
    measured: 'A question to the objects that keep balances and batches',
    everyMs: 60_000,
    slowMs: 2_000,
  },
  storage: {
    name: 'Image storage',
    measured: 'A small file is written, read, compared and deleted',
    everyMs: 60_000,
    slowMs: 4_000,
  },
  database: {
    name: 'Sign-in and portal',
    measured: 'A row is written to the portal’s database and read back',
    everyMs: 60_000,
    slowMs: 2_000,
  },
  queue: {
    name: 'Batch queue',
    measured: 'How long the oldest waiting image waits; slow from two minutes on',
    everyMs: 60_000,
    slowMs: 120_000,
  },
  nodes: {
    name: 'Image nodes',
    measured: 'A signed call that a node answers from its own database',
    everyMs: 60_000,
    slowMs: 3_000,
  },
  pipeline: {
    name: 'Image processing',
    measured: 'A real photo goes through storage and the model, and its product is found',
    everyMs: 300_000,
    slowMs: 15_000,
  },
} as const;
export type StatusComponent = keyof typeof statusComponents;
export const statusComponentNames = Object.keys(statusComponents) as readonly StatusComponent[];

/** Without a probe for so many of its intervals, and a half, nothing is known of a component. */
const INTERVALS_UNTIL_UNKNOWN = 3.5;
export const staleAfterMs = (component: StatusComponent): number =>
  INTERVALS_UNTIL_UNKNOWN * statusComponents[component].everyMs;

export const STATUS_DAYS = 90;
export const STATUS_PATH = '/status.json';

/** `slow`: it answered, but late or only to say that it is busy. */
export type ProbeResult = 'ok' | 'slow' | 'failed';

/** `unknown`: no probe is recent enough. `down`: the last two failed. `degraded`: the last was slow, or failed alone. */
export type ComponentState = 'operational' | 'degraded' | 'down' | 'unknown';

/** Probes of one UTC day. `latency_ms`: the mean of those that did not fail; null where none did. */
export type StatusDay = {
  readonly date: string;
  readonly ok: number;
  readonly slow: number;
  readonly failed: number;
  readonly latency_ms: number | null;
};

export type ComponentStatus = {
  readonly id: StatusComponent;
  readonly name: string;
  readonly measured: string;
  readonly state: ComponentState;
  readonly last_probe_at: string | null;
  readonly every_seconds: number;
  /** The median of the last hour. */
  readonly latency_ms: number | null;
  /** Oldest first; days without a probe are left out. */
  readonly days: readonly StatusDay[];
};

/** `ended_at` null: it goes on. */
export type StatusIncident = {
  readonly component: StatusComponent;
  readonly kind: 'down' | 'degraded';
  readonly began_at: string;
  readonly ended_at: string | null;
};

export type StatusAnswer = {
  readonly state: ComponentState;
  readonly components: readonly ComponentStatus[];
  /** Newest first. */
  readonly incidents: readonly StatusIncident[];
};

const BY_WEIGHT: readonly ComponentState[] = ['down', 'degraded', 'unknown', 'operational'];

/** The heaviest of them; `unknown` of none. */
export const worstOf = (states: readonly ComponentState[]): ComponentState =>
  BY_WEIGHT.find((state) => states.includes(state)) ?? 'unknown';

type Dated = Pick<ComponentStatus, 'id' | 'state' | 'last_probe_at'>;

/** What was found, or `unknown` once that is too old: a page that stays open asks this again and again. */
export const stateNow = ({ id, state, last_probe_at }: Dated, nowMs: number): ComponentState =>
  last_probe_at !== null && nowMs - Date.parse(last_probe_at) <= staleAfterMs(id) ? state : 'unknown';
