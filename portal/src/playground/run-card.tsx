/** The real run: one call of the API from this tab, and what it answered. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { ComplianceList } from '../components/compliance-list.tsx';
import { Icon } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { OutputList } from '../components/output-list.tsx';
import { duration } from '../format.ts';
import type { HeldKey } from '../held-keys.ts';
import { useSession } from '../session.tsx';
import { KeyChoice } from './key-choice.tsx';
import { type Choice, fieldsOf } from './options.ts';
import { ownPath, type RunOutcome, runOnApi } from './run.ts';

const RunResult = ({ run }: { run: RunOutcome }) =>
  run.ok ? (
    <>
      <Notice tone="good">
        Done in {duration(run.ms)}. <a href={`/logs/${run.requestId}`}>See it in the log</a>
      </Notice>
      <a class="button" href={ownPath(run.result.clean_url)} download>
        <Icon name="download" size={14} />
        Download {run.result.width} × {run.result.height} {run.result.format}
      </a>
      {run.result.outputs && run.result.outputs.length > 1 ? (
        <OutputList outputs={run.result.outputs} />
      ) : (
        <ComplianceList compliance={run.result.compliance} />
      )}
    </>
  ) : (
    <Notice tone="bad">
      {run.detail} <a href={`/docs/errors#${run.code}`}>{run.code}</a>
      {run.code === 'insufficient_credits' && (
        <>
          {' '}
          <a href="/billing">Buy the pack</a>
        </>
      )}
    </Notice>
  );

type Props = { photo: File; choice: Choice; onRun: (run: RunOutcome) => void };

export const RunCard = ({ photo, choice, onRun }: Props) => {
  const { refresh } = useSession();
  const [key, setKey] = useState<HeldKey>();
  const [busy, setBusy] = useState(false);
  const [run, setRun] = useState<RunOutcome>();
  useEffect(() => setRun(undefined), [photo, choice]);
  const start = async (): Promise<void> => {
    if (!key) return;
    setBusy(true);
    const outcome = await runOnApi(photo, photo.name, fieldsOf(choice), key.secret);
    setBusy(false);
    setRun(outcome);
    onRun(outcome);
    void refresh();
  };
  return (
    <Card title="Run it on the API">
      <KeyChoice chosen={key} onChoose={setKey} />
      <Button kind="primary" class="wide" busy={busy} disabled={!key} onClick={() => void start()}>
        {key?.mode === 'test' ? 'Run free (test key)' : 'Run for 1 credit'}
      </Button>
      {run && <RunResult run={run} />}
    </Card>
  );
};
