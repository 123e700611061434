/** A photo in: a free preview at once, computed here; then the real run. */

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import type { CheckAnswer, PublicFinding } from '../../../shared/check-api.ts';
import type { MarketplaceName } from '../../../shared/marketplaces/index.ts';
import { Card } from '../components/card.tsx';
import { ComplianceList } from '../components/compliance-list.tsx';
import { Notice } from '../components/notice.tsx';
import { OutputList } from '../components/output-list.tsx';
import { PageHead } from '../components/page-head.tsx';
import { VerdictPanel } from '../components/verdict.tsx';
import { choiceOf, photoOf } from '../playground/again.ts';
import { type Asked, isStillAsked } from '../playground/asked.ts';
import { DropZone, FileButton, useDrop, usePaste } from '../playground/drop-zone.tsx';
import { EarlierRuns } from '../playground/earlier-run.tsx';
import { type MadeFile, madeFiles } from '../playground/made.ts';
import { type Computing, OptionFields } from '../playground/option-fields.tsx';
import { type Choice, chosenOf, resolved } from '../playground/options.ts';
import { PreviewFacts } from '../playground/preview-facts.tsx';
import { PreviewFailed } from '../playground/preview-failed.tsx';
import { RegionField } from '../playground/region-field.tsx';
import { RunCard } from '../playground/run-card.tsx';
import { SameCall } from '../playground/same-call.tsx';
import { samplePhoto } from '../playground/sample.ts';
import { type Ran, type Seen, seenOf } from '../playground/seen.ts';
import { Stage } from '../playground/stage.tsx';
import { Strip, type Tile } from '../playground/strip.tsx';
import { usePhoto } from '../playground/use-photo.ts';
import { type Preview, usePreview } from '../playground/use-preview.ts';
import { useTouchUp } from '../playground/use-touch-up.tsx';

const none: readonly PublicFinding[] = [];

type LateRun = { readonly name: string; readonly requestId: string };

/** The preview of each marketplace until the API's file is there. */
const tilesOf = (choice: Choice, preview: Preview | undefined, made: readonly MadeFile[]): readonly Tile[] =>
  chosenOf(choice).map((marketplace) => {
    const file = made.find((one) => one.marketplace === marketplace);
    if (file) return { ...file, picture: file.url };
    const small = preview?.small[marketplace];
    return {
      marketplace,
      picture: small?.picture,
      compliance: preview?.facts.isDraft ? undefined : small?.report.compliance,
      plan: small?.report.plan,
    };
  });

const SeenView = ({ seen }: { seen: Seen }) => (
  <>
    <VerdictPanel
      review={seen.review}
      findings={seen.findings}
      confidence={seen.confidence}
      note={seen.note}
      numbered
    />
    {seen.outputs.length > 1 ? (
      <OutputList outputs={seen.outputs} />
    ) : (
      seen.compliance && <ComplianceList compliance={seen.compliance} />
    )}
  </>
);

const Playground = () => {
  const { query } = useRoute();
  const { photo, problem, take: takeNext } = usePhoto();
  const chosen = useRef(false);
  const take = useCallback((file: File): void => {
    chosen.current = true;
    takeNext(file);
  }, []);
  const [asked, setChoice] = useState(() => choiceOf(query));
  // A box belongs to the photo on which it was drawn.
  const [drawn, setDrawn] = useState<{ photoUrl: string; region: string | undefined }>();
  const region = drawn && drawn.photoUrl === photo?.url ? drawn.region : undefined;
  const choice = useMemo(() => ({ ...asked, region }), [asked, region]);
  const [large, setLarge] = useState<MarketplaceName>(asked.marketplace);
  const shown = chosenOf(choice).includes(large) ? large : choice.marketplace;
  const [computing, setComputing] = useState<Computing>({
    wanted: 'auto',
    detail: query['detail'] === 'draft' ? 'draft' : 'full',
  });
  const [ran, setRan] = useState<Ran>();
  const [late, setLate] = useState<LateRun>();
  const [check, setCheck] = useState<CheckAnswer>();
  const { state, start } = usePreview();
  useEffect(() => {
    // A photo that is chosen meanwhile stays.
    void photoOf(query).then((file) => file && !chosen.current && take(file));
  }, []);
  usePaste(take);
  useDrop(take);
  const asks = useRef<Asked | undefined>(undefined);
  asks.current = photo && { photo: photo.file, choice };
  const isAsked = useCallback((asked: Asked) => isStillAsked(asked, asks.current), []);
  /** It was charged: where it does not belong to what is shown now, the log has it. */
  const takeRan = useCallback((made: Ran, asked: Asked): void => {
    if (isAsked(asked)) setRan(made);
    else setLate({ name: asked.photo.name, requestId: made.outcome.requestId });
  }, []);
  useLayoutEffect(() => {
    setRan(undefined);
    setCheck(undefined);
  }, [photo, choice, computing]);
  useLayoutEffect(() => {
    if (!photo) return;
    const others = chosenOf(choice).filter((name) => name !== shown);
    start({ photoId: photo.url, file: photo.file, ...computing }, [
      resolved(choice, shown),
      ...others.map((name) => resolved(choice, name)),
    ]);
  }, [photo, choice, shown, computing]);
  const preview = state.kind === 'done' ? state.preview : undefined;
  const seen = useMemo(() => seenOf(chosenOf(choice), preview, check, ran), [choice, preview, check, ran]);
  const made = useMemo(() => (ran ? madeFiles(choice, ran) : []), [choice, ran]);
  const { bench: touchUp, open: openTouchUp } = useTouchUp(
    photo && ran && { photo: photo.file, choice, runKey: ran.key, onRan: takeRan },
  );
  return (
    <>
      <PageHead
        title="Playground"
        lead="Preview a photo in your browser and check it on the API, both free. Run it when it looks right."
      >
        {photo && <FileButton onFile={take}>Other photo</FileButton>}
      </PageHead>
      <EarlierRuns />
      {late && (
        <Notice>
          The run of {late.name}, asked for before you changed this page, is done.{' '}
          <a href={`/logs/${late.requestId}`}>See it in the log</a>
        </Notice>
      )}
      {problem && <Notice tone="bad">{problem}</Notice>}
      {photo?.note && <Notice>{photo.note}</Notice>}
      {touchUp}
      <div class="bench" hidden={touchUp !== null}>
        <div class="stage">
          {photo ? (
            <>
              <Stage
                state={state}
                made={made.find(({ marketplace }) => marketplace === shown)}
                photoUrl={photo.url}
                photoSize={photo.size}
                findings={seen?.findings ?? none}
                checked={(!ran && check?.findings) || none}
              />
              {choice.further.length > 0 && (
                <Strip tiles={tilesOf(choice, preview, made)} shown={shown} onShow={setLarge} />
              )}
            </>
          ) : (
            <DropZone onFile={take} onSample={() => void samplePhoto().then(take)} />
          )}
          {state.kind === 'failed' && <PreviewFailed state={state} />}
          {seen && <SeenView seen={seen} />}
          {preview?.facts.isDraft && !seen && (
            <Notice>A draft shows roughly where the product is; it is not measured.</Notice>
          )}
          {photo && <SameCall name={photo.file.name} choice={choice} matte={ran?.matte} />}
        </div>
        <div class="panel">
          <Card title="Options">
            <OptionFields choice={choice} computing={computing} onChoice={setChoice} onComputing={setComputing}>
              {photo?.size && (
                <RegionField
                  photoUrl={photo.url}
                  region={region}
                  onRegion={(drawnRegion) => setDrawn({ photoUrl: photo.url, region: drawnRegion })}
                />
              )}
            </OptionFields>
          </Card>
          {photo && (
            <RunCard
              photo={photo.file}
              choice={choice}
              touchedUp={ran?.registered && ran.outcome}
              isAsked={isAsked}
              onRun={(outcome, key, asked) => {
                if (outcome.ok) takeRan({ outcome, key, mode: key.mode }, asked);
                else if (isAsked(asked)) setRan(undefined);
              }}
              onTouchUp={openTouchUp}
              onCheck={(outcome) => setCheck(outcome.ok ? outcome.answer : undefined)}
            />
          )}
          {preview && (
            <Card title="Preview">
              <PreviewFacts facts={preview.facts} fellBack={preview.fellBack} />
            </Card>
          )}
        </div>
      </div>
    </>
  );
};
export default Playground;
