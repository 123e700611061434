/** What an event about money is recorded with, whoever brought it: a delivery, the re-drive, or a top-up that waits for it. */
import { newId } from '../../shared/ids.ts';
import { auditRecorder } from '../audit/record.ts';
import type { SettleDeps } from '../payments/settle.ts';
import { paymentStore } from '../payments/store.ts';
import type { Services } from '../ports.ts';
import { auditedCredits } from './audited-credits.ts';
import { cardKeeper } from './card-keeper.ts';
import { creditRecorder } from './credit-recorder.ts';
import type { PortalSettings } from './settings.ts';

export const settleDeps = (
  db: D1Database,
  services: Pick<Services, 'accountOf' | 'clock' | 'randomBytes'>,
  settings: PortalSettings,
): SettleDeps => {
  const nowMs = services.clock.nowMs();
  const audit = auditRecorder(db, services.clock.nowMs);
  return {
    store: paymentStore(db),
    recordCredits: auditedCredits(creditRecorder(services), audit),
    keepCard: cardKeeper(services, settings, audit),
    newPaymentId: () => newId('payment', nowMs, services.randomBytes),
    nowMs,
  };
};
