/** A photo in: a free preview at once, computed here; then the real run. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { limits } from '../../../shared/limits.ts';
import { type MarketplaceName, marketplaceNames } from '../../../shared/marketplaces.ts';
import { uploadSamples } from '../docs/samples.ts';
import { duration, megabytes } from '../format.ts';
import type { HeldKey } from '../held-keys.ts';
import { BitmapView, Compare } from '../playground/compare.tsx';
import type { Detail } from '../playground/detail.ts';
import { DropZone, FileButton, usePaste } from '../playground/drop-zone.tsx';
import { KeyChoice } from '../playground/key-choice.tsx';
import { type Choice, fieldsOf, firstChoice, resolved } from '../playground/options.ts';
import type { Preview, Wanted } from '../playground/protocol.ts';
import { ownPath, type RunOutcome, runOnApi } from '../playground/run.ts';
import { samplePhoto } from '../playground/sample.ts';
import { type PreviewState, usePreview } from '../playground/use-preview.ts';
import { useLocation } from '../router.tsx';
import { useSession } from '../session.tsx';
import { CodeTabs } from '../ui/code.tsx';
import { Icon } from '../ui/icons.tsx';
import { Button, Card, Notice, PageHead } from '../ui/kit.tsx';
import { ComplianceList } from './parts/compliance.tsx';

const providerNames = { webgpu: 'WebGPU', wasm: 'WebAssembly' } as const;

const Running = ({ state }: { state: Extract<PreviewState, { kind: 'running' }> }) => {
  const share = state.totalBytes > 0 ? state.doneBytes / state.totalBytes : 0;
  const text =
    state.step === 'download'
      ? state.totalBytes > 0
        ? `Loading the model, once: ${megabytes(state.doneBytes)} of ${megabytes(state.totalBytes)}`
        : 'Loading the model'
      : state.step === 'compile'
        ? 'Preparing the model'
        : 'Cutting out the product';
  return (
    <div class="running" role="status">
      <span class="spinner" aria-hidden="true" />
      <p>{text}</p>
      <div
        class="progress"
        role="progressbar"
        aria-label="Preview"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <span style={{ transform: `scaleX(${state.step === 'download' ? share : 1})` }} />
      </div>
    </div>
  );
};

const Stage = ({
  state,
  run,
  photoUrl,
}: {
  state: PreviewState;
  run: Extract<RunOutcome, { ok: true }> | undefined;
  photoUrl: string;
}) => {
  if (state.kind === 'done') {
    const before = <BitmapView class="before" bitmap={state.preview.before} label="Before: the photo" />;
    return run ? (
      <Compare
        before={before}
        after={<img src={ownPath(run.result.clean_url)} alt="After: the finished image" />}
        afterName="API result"
      />
    ) : (
      <Compare
        before={before}
        after={<BitmapView bitmap={state.preview.after} label="After: the preview" />}
        afterName="Preview"
      />
    );
  }
  return (
    <div class="compare waiting">
      <img src={photoUrl} alt="The photo" class="before" />
      {run && <img src={ownPath(run.result.clean_url)} alt="The finished image" />}
      {state.kind === 'running' && !run && <Running state={state} />}
    </div>
  );
};

const PreviewFacts = ({ preview, fellBack }: { preview: Preview; fellBack: string | undefined }) => (
  <>
    <dl class="facts" data-provider={preview.provider}>
      <dt>Computed by</dt>
      <dd>{providerNames[preview.provider]}, in this browser</dd>
      <dt>Model</dt>
      <dd class="mono">{preview.model}</dd>
      <dt>Time</dt>
      <dd>
        {duration(preview.totalMs)} <span class="muted">(model {duration(preview.inferMs)})</span>
      </dd>
    </dl>
    {fellBack && <Notice tone="warn">WebGPU did not work here, so WebAssembly took over. {fellBack}</Notice>}
    <ComplianceList compliance={preview.compliance} />
  </>
);

type Computing = { readonly wanted: Wanted; readonly detail: Detail };

const OptionFields = ({
  choice,
  computing,
  onChoice,
  onComputing,
}: {
  choice: Choice;
  computing: Computing;
  onChoice: (choice: Choice) => void;
  onComputing: (computing: Computing) => void;
}) => (
  <>
    <label class="field">
      <span class="label">Marketplace</span>
      <select
        class="input"
        value={choice.marketplace}
        onChange={(e) => onChoice({ ...choice, marketplace: e.currentTarget.value as MarketplaceName })}
      >
        {marketplaceNames.map((name) => (
          <option key={name} value={name}>
            {name[0]!.toUpperCase() + name.slice(1)}
          </option>
        ))}
      </select>
    </label>
    <label class="field">
      <span class="label">Background</span>
      <select
        class="input"
        value={choice.background}
        onChange={(e) =>
          onChoice({
            ...choice,
            background: e.currentTarget.value as Choice['background'],
            shadow: e.currentTarget.value === 'transparent' ? 'none' : choice.shadow,
          })
        }
      >
        <option value="white">White</option>
        <option value="transparent">Transparent (PNG)</option>
      </select>
    </label>
    <label class="checkbox">
      <input
        type="checkbox"
        disabled={choice.background === 'transparent'}
        checked={choice.shadow === 'soft'}
        onChange={(e) => onChoice({ ...choice, shadow: e.currentTarget.checked ? 'soft' : 'none' })}
      />
      Soft shadow
    </label>
    <label class="field">
      <span class="label">Preview computed by</span>
      <select
        class="input"
        name="provider"
        value={computing.wanted}
        onChange={(e) => onComputing({ ...computing, wanted: e.currentTarget.value as Wanted })}
      >
        <option value="auto">Automatic</option>
        <option value="webgpu">WebGPU</option>
        <option value="wasm">WebAssembly</option>
      </select>
    </label>
    <label class="field">
      <span class="label">Preview detail</span>
      <select
        class="input"
        name="detail"
        value={computing.detail}
        onChange={(e) => onComputing({ ...computing, detail: e.currentTarget.value as Detail })}
      >
        <option value="full">Full, as the API</option>
        <option value="quick">Quick, a quarter of the time</option>
        {computing.detail === 'draft' && <option value="draft">Draft, for software rendering</option>}
      </select>
    </label>
  </>
);

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
      <ComplianceList compliance={run.result.compliance} />
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

const RunCard = ({ photo, choice, onRun }: { photo: File; choice: Choice; onRun: (run: RunOutcome) => void }) => {
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

const Playground = () => {
  const { query } = useLocation();
  const [photo, setPhoto] = useState<File>();
  const [photoUrl, setPhotoUrl] = useState('');
  const [problem, setProblem] = useState<string>();
  const [choice, setChoice] = useState(firstChoice);
  const [computing, setComputing] = useState<Computing>({
    wanted: 'auto',
    detail: query.get('detail') === 'draft' ? 'draft' : 'full',
  });
  const [run, setRun] = useState<RunOutcome>();
  const { state, start } = usePreview();
  const take = useCallback((file: File): void => {
    if (file.size > limits.upload.fileBytesMax)
      return setProblem(`The file is larger than ${limits.upload.fileBytesMax / 1e6} MB.`);
    setProblem(undefined);
    setPhoto(file);
  }, []);
  usePaste(take);
  useEffect(() => {
    if (!photo) return;
    const url = URL.createObjectURL(photo);
    setPhotoUrl(url);
    return () => URL.revokeObjectURL(url);
  }, [photo]);
  useEffect(() => {
    if (!photo) return;
    setRun(undefined);
    start(photo, resolved(choice), computing.wanted, computing.detail);
  }, [photo, choice, computing]);
  return (
    <>
      <PageHead title="Playground" lead="Preview a photo free, in your browser. Run it on the API when it looks right.">
        {photo && <FileButton onFile={take}>Other photo</FileButton>}
      </PageHead>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div class="bench">
        <div class="stage">
          {photo ? (
            <Stage state={state} photoUrl={photoUrl} run={run?.ok ? run : undefined} />
          ) : (
            <DropZone onFile={take} onSample={() => void samplePhoto().then(take)} />
          )}
          {state.kind === 'failed' && (
            <Notice tone="bad">
              {state.detail} {state.code === 'preview_failed' && 'The API may still take it.'}
            </Notice>
          )}
          {photo && (
            <section aria-label="The same call in code" class="stack tight">
              <h2>The same call in code</h2>
              <CodeTabs label="Language" samples={uploadSamples(photo.name, fieldsOf(choice))} />
            </section>
          )}
        </div>
        <div class="panel">
          <Card title="Options">
            <OptionFields choice={choice} computing={computing} onChoice={setChoice} onComputing={setComputing} />
          </Card>
          {state.kind === 'done' && (
            <Card title="Preview">
              <PreviewFacts preview={state.preview} fellBack={state.fellBack} />
            </Card>
          )}
          {photo && <RunCard photo={photo} choice={choice} onRun={setRun} />}
        </div>
      </div>
    </>
  );
};
export default Playground;
