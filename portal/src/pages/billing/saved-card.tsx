/** The card that top-ups charge: saved on Stripe's own page, shown by its last digits. */

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { AutomaticTopUp } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { useSession } from '../../session.tsx';
import { useCall } from '../../use-call.ts';

type Saved = NonNullable<AutomaticTopUp['card']>;
const nameOf = ({ brand, last4 }: Saved): string =>
  `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${last4}`;
const expiryOf = ({ exp_month, exp_year }: Saved): string => `${String(exp_month).padStart(2, '0')}/${exp_year}`;

const RemoveDialog = ({ card, onClose, onDone }: { card: Saved; onClose: () => void; onDone: () => void }) => {
  const { busy, problem, run } = useCall();
  const remove = async (): Promise<void> => {
    if ((await run(post('/top-up/card/remove', {}))).ok) onDone();
  };
  return (
    <Dialog
      title="Remove the card?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep card</Button>
          <Button kind="danger primary" busy={busy} onClick={() => void remove()}>
            Remove card
          </Button>
        </>
      }
    >
      <Problem problem={problem} />
      <p class="small">
        {nameOf(card)} is not charged any more and is deleted at Stripe. Automatic top-up switches off. Your credits
        stay.
      </p>
    </Dialog>
  );
};

export const SavedCard = ({ card, onChange }: { card: Saved | null; onChange: () => void }) => {
  const { route: navigate } = useLocation();
  const { config } = useSession();
  const { busy, problem, run } = useCall();
  const [removing, setRemoving] = useState(false);
  const save = async (): Promise<void> => {
    const answer = await run(post<{ url: string }>('/top-up/card', { attempt_id: crypto.randomUUID() }));
    if (!answer.ok) return;
    if (answer.value.url.startsWith('/')) navigate(answer.value.url);
    else location.assign(answer.value.url);
  };
  return (
    <div class="topup-saved">
      <Problem problem={problem} />
      <div class="row between">
        <div>
          <div class="label">{card ? nameOf(card) : 'No card saved'}</div>
          <div class="hint">
            {card
              ? `Expires ${expiryOf(card)}`
              : config?.checkout === 'test'
                ? 'Local mode: a test card, nothing is charged.'
                : 'Entered on Stripe’s page; we never see its number. Saving it charges nothing.'}
          </div>
        </div>
        <div class="row tight">
          <Button compact busy={busy} onClick={() => void save()}>
            {card ? 'Replace card' : 'Save a card'}
          </Button>
          {card && (
            <Button compact kind="quiet" onClick={() => setRemoving(true)}>
              Remove card
            </Button>
          )}
        </div>
      </div>
      {card && removing && (
        <RemoveDialog
          card={card}
          onClose={() => setRemoving(false)}
          onDone={() => {
            setRemoving(false);
            onChange();
          }}
        />
      )}
    </div>
  );
};
