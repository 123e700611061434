/** Automatic top-up inside its account's object: what the owner sets, and what the alarm drives. */
import { edgeLimits } from '../../limits.ts';
import { first } from '../../sqlite/rows.ts';
import { beginIfLow, monthStartMs, pauseTopUp, stopOpenTopUp } from './begin.ts';
import { type Driving, detachCards, driveTopUp, endWaiting } from './drive.ts';
import { tellNotices } from './notices.ts';
import { CARD_FAULTS, type SavedCard, type TopUpServices, type TopUpTerms, type TopUpView } from './port.ts';
import {
  detachLater,
  forgetOld,
  lastTopUps,
  monthCents,
  openTopUp,
  readSetting,
  type Setting,
  saveSetting,
} from './rows.ts';

export type TopUps = ReturnType<typeof createTopUps>;

const SECOND_MS = 1_000;
const isAlready = ({ isOn, pause, waiting, terms }: Setting, asked: TopUpTerms | null): boolean =>
  asked === null
    ? !isOn
    : isOn &&
      pause === null &&
      waiting === null &&
      terms?.level === asked.level &&
      terms.pack.credits === asked.pack.credits &&
      terms.monthlyLimitCents === asked.monthlyLimitCents;
const isCardFault = (pause: Setting['pause']): boolean => CARD_FAULTS.some((fault) => fault === pause);

export const createTopUps = (driving: Driving) => {
  const { storage, now, available } = driving;
  const { sql } = storage;

  /** What was asked for under other settings is stopped; what is needed under these is begun. */
  const change = (setting: Setting): void => {
    saveSetting(sql, setting);
    stopOpenTopUp(sql, now());
    beginIfLow(sql, available(), now());
  };
  const withoutCard = (setting: Setting): Setting => {
    if (setting.card) detachLater(sql, setting.card.paymentMethod, now());
    return { ...setting, isOn: false, pause: null, waiting: null, card: null, cardChangedAtMs: now() };
  };

  const isCharging = (): boolean => {
    const open = openTopUp(sql);
    if (open?.state !== 'asked' && open?.state !== 'paid') return false;
    return now() - open.createdAtMs < edgeLimits.topUp.closesWithinMs;
  };

  return {
    view: (): TopUpView => {
      const { cardChangedAtMs: _, ...shown } = readSetting(sql);
      const inMonth = monthCents(sql, monthStartMs(now()));
      return { ...shown, monthCents: inMonth, isCharging: isCharging(), last: lastTopUps(sql) };
    },

    set: (terms: TopUpTerms | null, card?: string): 'saved' | 'unchanged' | 'no_card' | 'card_changed' =>
      storage.transactionSync(() => {
        const setting = readSetting(sql);
        if (terms && (!setting.card || setting.isClosed)) return 'no_card';
        if (terms && card !== undefined && card !== setting.card?.paymentMethod) return 'card_changed';
        if (isAlready(setting, terms)) return 'unchanged';
        change({ ...setting, isOn: terms !== null, terms: terms ?? setting.terms, pause: null, waiting: null });
        return 'saved';
      }),

    /** Stripe tells whole seconds. */
    saveCard: (card: SavedCard, atMs: number): 'saved' | 'known' | 'outdated' =>
      storage.transactionSync(() => {
        const setting = readSetting(sql);
        if (setting.card?.paymentMethod === card.paymentMethod) return 'known';
        const isLate = Math.floor(atMs / SECOND_MS) < Math.floor(setting.cardChangedAtMs / SECOND_MS);
        if (setting.isClosed || isLate) {
          detachLater(sql, card.paymentMethod, now());
          return 'outdated';
        }
        if (setting.card) detachLater(sql, setting.card.paymentMethod, now());
        const pause = isCardFault(setting.pause) ? null : setting.pause;
        change({ ...setting, pause, card, cardChangedAtMs: atMs });
        return 'saved';
      }),

    pause: (pause: 'refunded' | 'disputed'): void => storage.transactionSync(() => pauseTopUp(sql, pause, now())),

    removeCard: (): void => storage.transactionSync(() => change(withoutCard(readSetting(sql)))),
    close: (): 'closed' | 'charging' =>
      storage.transactionSync(() => {
        if (isCharging()) return 'charging';
        change({ ...withoutCard(readSetting(sql)), terms: null, isClosed: true });
        return 'closed';
      }),

    /** What is due now. Throws nothing that Stripe or the mail API did. */
    run: async ({ cards, tell, fetchCredits }: TopUpServices): Promise<void> => {
      forgetOld(sql, now());
      endWaiting(driving);
      await driveTopUp(driving, cards, fetchCredits);
      await detachCards(driving, cards);
      await tellNotices({ sql, now, accountId: driving.accountId }, tell);
    },

    /** When something is due; null where nothing is. */
    nextMs: (): number | null =>
      first<{ atMs: number | null }>(
        sql,
        `select min(atMs) as atMs from (
          select dueAtMs as atMs from topUp where endedAtMs is null
          union all select waitUntilMs from topUpSetting
          union all select min(dueAtMs) from topUpNotice where dueAtMs is not null
          union all select min(dueAtMs) from cardToDetach)`,
      )?.atMs ?? null,
  };
};
