/** A photo in: a free preview at once, computed here; then the real run. */

import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import type { PublicFinding } from '../../../shared/check-api.ts';
import { Card } from '../components/card.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { DropZone, FileButton, usePaste } from '../playground/drop-zone.tsx';
import { type Computing, OptionFields } from '../playground/option-fields.tsx';
import { fieldsOf, firstChoice, resolved } from '../playground/options.ts';
import { PreviewFacts } from '../playground/preview-facts.tsx';
import type { RunOutcome } from '../playground/run.ts';
import { RunCard } from '../playground/run-card.tsx';
import { samplePhoto } from '../playground/sample.ts';
import { Stage } from '../playground/stage.tsx';
import { usePhoto } from '../playground/use-photo.ts';
import { usePhotoSize } from '../playground/use-photo-size.ts';
import { usePreview } from '../playground/use-preview.ts';
import { uploadSamples } from '../samples/upload.ts';

const none: readonly PublicFinding[] = [];

const Playground = () => {
  const { query } = useRoute();
  const { photo, photoUrl, problem, take } = usePhoto();
  const [choice, setChoice] = useState(firstChoice);
  const [computing, setComputing] = useState<Computing>({
    wanted: 'auto',
    detail: query['detail'] === 'draft' ? 'draft' : 'full',
  });
  const [run, setRun] = useState<RunOutcome>();
  const [findings, setFindings] = useState<readonly PublicFinding[]>(none);
  const photoSize = usePhotoSize(photoUrl);
  const { state, start } = usePreview();
  usePaste(take);
  useEffect(() => {
    if (!photo) return;
    setRun(undefined);
    setFindings(none);
    start(photo, resolved(choice), computing.wanted, computing.detail);
    // Further marketplaces are not previewed.
  }, [photo, choice.marketplace, choice.background, choice.shadow, computing]);
  return (
    <>
      <PageHead
        title="Playground"
        lead="Preview a photo in your browser and check it on the API, both free. Run it when it looks right."
      >
        {photo && <FileButton onFile={take}>Other photo</FileButton>}
      </PageHead>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div class="bench">
        <div class="stage">
          {photo ? (
            <Stage
              state={state}
              photoUrl={photoUrl}
              photoSize={photoSize}
              run={run?.ok ? run : undefined}
              findings={findings}
            />
          ) : (
            <DropZone onFile={take} onSample={() => void samplePhoto().then(take)} />
          )}
          {state.kind === 'failed' && (
            <Notice tone="bad">
              {state.detail} {state.code === 'preview_failed' && 'The API may still accept it.'}
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
          {photo && (
            <RunCard photo={photo} choice={choice} onRun={setRun} onFindings={(found) => setFindings(found ?? none)} />
          )}
        </div>
      </div>
    </>
  );
};
export default Playground;
