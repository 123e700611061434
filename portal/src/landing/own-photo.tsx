/** A visitor's own photo: the playground's preview of it with a few options. Loaded when there is a photo. */
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { ComplianceList } from '../components/compliance-list.tsx';
import { Notice } from '../components/notice.tsx';
import { VerdictPanel } from '../components/verdict.tsx';
import { FileButton } from '../playground/drop-zone.tsx';
import { BackgroundField, MarketplaceField, ShadowField } from '../playground/look-fields.tsx';
import { firstChoice, resolved } from '../playground/options.ts';
import { PreviewFailed } from '../playground/preview-failed.tsx';
import { seenOf } from '../playground/seen.ts';
import { Stage } from '../playground/stage.tsx';
import { usePhoto } from '../playground/use-photo.ts';
import { usePreview } from '../playground/use-preview.ts';
import { useSession } from '../session.tsx';
import { useQuickLook } from './use-quick-look.ts';

type Props = { file: File; onFile: (file: File) => void };

export const OwnPhoto = ({ file, onFile }: Props) => {
  const { me } = useSession();
  const { photo, problem, take } = usePhoto();
  const [choice, setChoice] = useState(firstChoice);
  const { state, start } = usePreview();
  useEffect(() => take(file), [file]);
  useLayoutEffect(() => {
    if (!photo) return;
    start({ photoId: photo.url, file: photo.file, wanted: 'auto', detail: 'full' }, [
      resolved(choice, choice.marketplace),
    ]);
  }, [photo, choice]);
  const quickLook = useQuickLook(photo?.file, state.kind === 'running');
  const preview = state.kind === 'done' ? state.preview : undefined;
  const seen = useMemo(
    () => seenOf([choice.marketplace], preview, undefined, undefined),
    [choice.marketplace, preview],
  );
  return (
    <section class="stack tight own-photo" aria-label="Your photo">
      {problem && <Notice tone="bad">{problem}</Notice>}
      {photo && (
        <Stage
          state={state}
          made={undefined}
          photoUrl={photo.url}
          photoSize={photo.size}
          findings={seen?.findings ?? []}
          checked={[]}
          quickLook={quickLook}
        />
      )}
      {quickLook && state.kind === 'running' && (
        <p class="small muted">
          A quick look at 480 px, made by our service of a small copy that is not kept. The real preview follows.
        </p>
      )}
      {state.kind === 'failed' && <PreviewFailed state={state} />}
      {preview && (
        <div class="own-options">
          <MarketplaceField
            value={choice.marketplace}
            onValue={(marketplace) => setChoice({ ...choice, marketplace })}
          />
          <BackgroundField choice={choice} onChoice={setChoice} />
          <ShadowField choice={choice} onChoice={setChoice} />
        </div>
      )}
      {seen && (
        <>
          <VerdictPanel
            review={seen.review}
            findings={seen.findings}
            confidence={seen.confidence}
            note="Of a preview that was made in this browser. The API measures the finished file."
            numbered
          />
          {seen.compliance && <ComplianceList compliance={seen.compliance} />}
        </>
      )}
      <div class="row">
        <a class="button primary" href={me ? '/playground' : '/sign-up'}>
          {me ? 'Make the file in the playground' : 'Create an account to make the file'}
        </a>
        <FileButton onFile={onFile}>Other photo</FileButton>
      </div>
    </section>
  );
};
