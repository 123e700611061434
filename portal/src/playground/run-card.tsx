/** The free check and the real run: calls of the API from this tab, and what they answered. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Icon } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { duration } from '../format.ts';
import type { HeldKey } from '../held-keys.ts';
import { useSession } from '../session.tsx';
import type { Asked } from './asked.ts';
import { KeyChoice } from './key-choice.tsx';
import { type Choice, sentFields } from './options.ts';
import { RefusedNotice } from './refused-notice.tsx';
import { type CheckOutcome, checkOnApi, ownPath, type RunOutcome, runOnApi } from './run.ts';

type RunResultProps = { run: Extract<RunOutcome, { ok: true }>; onTouchUp: () => void };

const RunResult = ({ run, onTouchUp }: RunResultProps) => (
  <>
    <Notice>
      Done in {duration(run.ms)}. <a href={`/logs/${run.requestId}`}>See it in the log</a>
    </Notice>
    <a class="button" href={ownPath(run.result.clean_url)} download>
      <Icon name="download" size={14} />
      Download {run.result.width} × {run.result.height} {run.result.format}
    </a>
    <Button onClick={onTouchUp}>
      <Icon name="brush" size={14} />
      Touch up
    </Button>
  </>
);

const CheckResult = ({ check }: { check: Extract<CheckOutcome, { ok: true }> }) => {
  const { length } = check.answer.findings;
  const found = `${length} ${length === 1 ? 'finding' : 'findings'}`;
  return (
    <Notice>{length === 0 ? 'Checked: nothing was found. Not charged.' : `Checked: ${found}. Not charged.`}</Notice>
  );
};

type Outcome =
  | { readonly kind: 'check'; readonly outcome: CheckOutcome }
  | { readonly kind: 'run'; readonly outcome: RunOutcome };

const OutcomeView = ({ kind, outcome, onTouchUp }: Outcome & { onTouchUp: () => void }) => {
  if (!outcome.ok) return <RefusedNotice {...outcome} />;
  return kind === 'check' ? <CheckResult check={outcome} /> : <RunResult run={outcome} onTouchUp={onTouchUp} />;
};

type Props = {
  photo: File;
  choice: Choice;
  /** What the touch-up made last, in place of the run before. */
  touchedUp: RunOutcome | undefined;
  /** Whether the page still shows what was asked for: an answer that comes later is not about what is seen. */
  isAsked: (asked: Asked) => boolean;
  /** Also an answer that comes later. */
  onRun: (run: RunOutcome, key: HeldKey, asked: Asked) => void;
  onTouchUp: () => void;
  onCheck: (check: CheckOutcome) => void;
};

export const RunCard = ({ photo, choice, touchedUp, isAsked, onRun, onTouchUp, onCheck }: Props) => {
  const { refresh } = useSession();
  const [key, setKey] = useState<HeldKey>();
  const [busy, setBusy] = useState<Outcome['kind']>();
  const [last, setLast] = useState<Outcome>();
  useEffect(() => setLast(undefined), [photo, choice]);
  useEffect(() => {
    if (!touchedUp) return;
    setLast({ kind: 'run', outcome: touchedUp });
    void refresh();
  }, [touchedUp]);
  const call = async (kind: Outcome['kind']): Promise<void> => {
    if (!key) return;
    setBusy(kind);
    const asked = { photo, choice };
    const given = [photo, photo.name, sentFields(choice, undefined), key.secret] as const;
    if (kind === 'check') {
      const outcome = await checkOnApi(...given);
      if (isAsked(asked)) {
        setLast({ kind, outcome });
        onCheck(outcome);
      }
    } else {
      const outcome = await runOnApi(...given);
      if (isAsked(asked)) setLast({ kind, outcome });
      onRun(outcome, key, asked);
      void refresh();
    }
    setBusy(undefined);
  };
  return (
    <Card title="Run it on the API">
      <KeyChoice chosen={key} onChoose={setKey} />
      <Button
        class="wide"
        busy={busy === 'check'}
        disabled={!key || busy !== undefined}
        onClick={() => void call('check')}
      >
        Check first, free
      </Button>
      <Button
        kind="primary"
        class="wide"
        busy={busy === 'run'}
        disabled={!key || busy !== undefined}
        onClick={() => void call('run')}
      >
        {key?.mode === 'test' ? 'Run free (test key)' : 'Run for 1 credit'}
      </Button>
      <div aria-live="polite" class="stack tight">
        {last && <OutcomeView {...last} onTouchUp={onTouchUp} />}
      </div>
    </Card>
  );
};
