/** Gives a card that was entered on the checkout's page to its account. */
import type { RecordAudit } from '../audit/record.ts';
import { stripeCardReader } from '../payments/card.ts';
import type { KeepCard } from '../payments/settle.ts';
import { testCardReader } from '../payments/test-cards.ts';
import type { Services } from '../ports.ts';
import type { PortalSettings } from './settings.ts';

export const cardKeeper = (
  { accountOf }: Pick<Services, 'accountOf'>,
  { checkout }: Pick<PortalSettings, 'checkout'>,
  audit: RecordAudit,
): KeepCard => {
  const readCard = checkout.kind === 'stripe' ? stripeCardReader(checkout.secretKey) : testCardReader;
  return async (entered) => {
    const { accountId, atMs, setupIntent } = entered;
    const card = await readCard(entered);
    const saved = card && (await accountOf(accountId).topUps.saveCard(card, atMs));
    if (!saved || saved === 'outdated') return false;
    // Also where the card is known: a crash may have come between it and this, which is written once.
    const detail = `${card.brand} ending in ${card.last4}`;
    await audit({ of: { accountId }, actor: 'owner', action: 'money.card_saved', detail, once: `card:${setupIntent}` });
    return saved === 'saved';
  };
};
