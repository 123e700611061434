/** A visitor's own photo: the playground's preview of it with a few options. Loaded when there is a photo. */
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { type MarketplaceName, marketplaceNames } from '../../../shared/marketplaces/index.ts';
import { ComplianceList } from '../components/compliance-list.tsx';
import { Notice } from '../components/notice.tsx';
import { VerdictPanel } from '../components/verdict.tsx';
import { marketplaceLabels } from '../marketplace-labels.ts';
import { FileButton } from '../playground/drop-zone.tsx';
import { BackgroundField } from '../playground/look-fields.tsx';
import { firstChoice, resolved } from '../playground/options.ts';
import { PreviewFailed } from '../playground/preview-failed.tsx';
import { seenOf } from '../playground/seen.ts';
import { Select } from '../playground/select.tsx';
import { Stage } from '../playground/stage.tsx';
import { usePhoto } from '../playground/use-photo.ts';
import { usePreview } from '../playground/use-preview.ts';
import { useSession } from '../session.tsx';

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
        />
      )}
      {state.kind === 'failed' && <PreviewFailed state={state} />}
      {preview && (
        <div class="own-options">
          <Select
            label="Marketplace"
            name="marketplace"
            value={choice.marketplace}
            onValue={(value) => setChoice({ ...choice, marketplace: value as MarketplaceName })}
          >
            {marketplaceNames.map((name) => (
              <option key={name} value={name}>
                {marketplaceLabels[name]}
              </option>
            ))}
          </Select>
          <BackgroundField choice={choice} onChoice={setChoice} />
          <label class="checkbox">
            <input
              type="checkbox"
              name="shadow"
              disabled={choice.background === 'transparent'}
              checked={choice.shadow === 'soft'}
              onChange={(e) => setChoice({ ...choice, shadow: e.currentTarget.checked ? 'soft' : 'none' })}
            />
            Soft shadow
          </label>
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
