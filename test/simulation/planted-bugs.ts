/**
 * Bugs that must not live long: each rewrites lines of the edge as they are loaded. A line that is not there any more
 * fails the test, so that a bug is planted anew where the code has moved.
 */
import type { Law } from './auditor/laws.ts';
import type { Patch } from './platform/hooks.ts';

export type PlantedBug = {
  readonly name: string;
  readonly patches: readonly Patch[];
  /** The law it breaks, and the number of seeds within which that is seen. */
  readonly law: Law;
  readonly seeds: number;
};

const LEDGER = 'edge/account/ledger/machine.ts';

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a charge gives its credit back',
    law: 'balance',
    seeds: 100,
    patches: [
      {
        file: LEDGER,
        find: "as === 'posted' ? { held: -credits, spent: credits } : { held: -credits, available: credits }",
        replace: "as === 'posted' ? { held: -credits, available: credits } : { held: -credits, available: credits }",
      },
    ],
  },
];
