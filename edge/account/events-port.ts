/** Ends of an account's batches as they come, for a developer who listens. */
import type { KeyMode } from '../../shared/api-key.ts';

/** In order. `isMissing`: some after the one asked for are not known any more. `next`: where to go on from. */
export type EventPage = {
  readonly events: readonly { readonly sequence: number; readonly batchId: string }[];
  readonly next: number;
  readonly isMissing: boolean;
};

export type EventsPort = {
  /** Batches of keys of this mode that ended after `after`, null for from now on; where there is none, `waitMs` for one. */
  batchEvents(request: {
    readonly after: number | null;
    readonly mode: KeyMode;
    readonly waitMs: number;
  }): Promise<EventPage>;
};
