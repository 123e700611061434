/** What a seed holds in store: who asks for what, what goes wrong, and for how long. */
import type { Account, Wish } from './auditor/book.ts';
import { mistakes } from './mistakes.ts';
import { type Faults, faultNames, noFaults } from './platform/faults.ts';
import type { Random } from './random.ts';

export type Plan = {
  readonly faults: Faults;
  readonly skewed: boolean;
  readonly troubleMs: number;
  readonly accounts: number;
  /** One more account, whose rows the first release wrote. */
  readonly oldRelease: boolean;
  /** Some accounts have a key with a spending cap. */
  readonly caps: boolean;
  readonly wishes: readonly ((accounts: readonly Account[]) => Wish)[];
  readonly deployments: number;
  readonly originOutages: number;
  /** Payments, refunds and disputes after the opening, and revocations of keys. */
  readonly movements: number;
  readonly revocations: number;
  readonly mistakes: readonly string[];
};

const MINUTE = 60_000;

/** A few kinds of fault alone, but often. */
const FEW = 0.3;

/** By how much more or less often than others a fault is drawn. */
const weight: Partial<Record<keyof Faults, number>> = {
  diskFull: 3,
  alarmLate: 2,
  alarmLost: 0.5,
  messageLost: 1,
  messageDoubled: 2,
  messageLate: 1,
  isolateDies: 0.3,
  commitFails: 0.5,
  evicted: 2,
  clientLeaves: 1,
  bodyBreaks: 1.5,
  bodyStalls: 3,
  originBusy: 3,
  originDies: 0.3,
  originClaims: 0.3,
};

export const drawPlan = (random: Random): Plan => {
  const level = random.pick([0, 0.01, 0.03, 0.08, FEW]);
  const faults = noFaults();
  if (level === FEW) for (let i = 0; i < 3; i++) faults[random.pick(faultNames)] = FEW;
  else for (const name of faultNames) if (random.chance(0.5)) faults[name] = level * (weight[name] ?? 1);
  return {
    faults,
    skewed: random.chance(0.5),
    troubleMs: random.between(2, 25) * MINUTE,
    accounts: random.chance(0.2) ? 2 : 1,
    oldRelease: random.chance(0.1),
    caps: true,
    wishes: Array.from({ length: random.between(1, 3) }, (_, i) => drawWish(random, i)),
    deployments: level > 0 && random.chance(0.3) ? random.between(1, 2) : 0,
    originOutages: level > 0 && random.chance(0.2) ? 1 : 0,
    movements: random.chance(0.3) ? random.between(1, 3) : 0,
    revocations: random.chance(0.05) ? 1 : 0,
    mistakes: random.chance(0.15) ? [random.pick(mistakes), random.pick(mistakes)] : [],
  };
};

/** One wish in so many asks for several marketplaces: drawn from a number that is drawn anyway. */
const SEVERAL_OF = 3;
const several = ['walmart', 'amazon', 'zalando'];

const drawImages = (random: Random, style: Wish['style']): number => {
  const size = random.unit();
  if (size < 0.0005 && style === 'batch') return random.between(300, 1_000);
  if (size < 0.01) return style === 'batch' ? random.between(33, 60) : random.between(8, 20);
  return random.between(1, 4);
};

const drawWish = (random: Random, place: number): ((accounts: readonly Account[]) => Wish) => {
  const style = random.pick(['upload', 'batch'] as const);
  const drawn = {
    id: `w${place}`,
    style,
    images: drawImages(random, style),
    idempotencyKey: random.chance(0.6) ? `key ${place}` : undefined,
    mode: random.chance(0.9) ? ('live' as const) : ('test' as const),
    webhookUrl:
      style === 'batch' && random.chance(0.3)
        ? `https://${random.pick(['', '', 'gone.'])}hook-server.net/${place}`
        : undefined,
    respondAsync: style === 'upload' && random.chance(0.2),
    changes: random.chance(0.15),
    contested: style === 'upload' && random.chance(0.15),
  };
  const which = random.unit();
  const marketplaces = (Math.floor(which * 1e6) % SEVERAL_OF === 0 && several) || [];
  return (accounts) => ({ ...drawn, marketplaces, account: accounts[Math.floor(which * accounts.length)] as Account });
};
