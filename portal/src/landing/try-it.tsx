/** The drawing of a result on the first page: of a sample, then of the visitor's own photo. */
import type { ComponentType } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Notice } from '../components/notice.tsx';
import type { Registered } from '../components/registration.ts';
import { Sheet } from '../components/sheet.tsx';
import { Compare, PlaceChoice } from '../playground/compare.tsx';
import { FileButton, useDrop, usePaste } from '../playground/drop-zone.tsx';
import sample from './sample.json';

const registered: Registered = { photo: sample.photo, productInPhoto: sample.productInPhoto };
const plan = { canvas: sample.canvas, product: sample.product, background: '#ffffff' };

const CAPTION = 'Measured on the file, for Amazon';
const result = (
  <img class="result" src="/samples/mug-result.webp" alt="After: the mug on white" width={1000} height={1000} />
);

/** As the page is written at build time: no code has run, and no style may stand in the HTML. */
const StillSample = () => (
  <figure class="compare-figure">
    <Sheet plan={undefined}>{result}</Sheet>
    <figcaption class="row between">
      <PlaceChoice isOnCanvas onChange={() => {}} />
      <span class="small muted">{CAPTION}</span>
    </figcaption>
  </figure>
);

const Sample = () => {
  const [isAlive, setAlive] = useState(false);
  useEffect(() => setAlive(true), []);
  if (!isAlive) return <StillSample />;
  return (
    <Compare
      photoKey="sample"
      plan={plan}
      registered={registered}
      before={<img src="/samples/mug-photo.webp" alt="Before: a mug on a table" width={1400} height={1050} />}
      after={result}
      afterName="Result"
      caption={CAPTION}
    />
  );
};

type OwnPhoto = ComponentType<{ file: File; onFile: (file: File) => void }>;

export const TryIt = () => {
  const [file, setFile] = useState<File>();
  const [own, setOwn] = useState<{ view: OwnPhoto }>();
  const [isLost, setLost] = useState(false);
  const take = useCallback((taken: File): void => {
    setFile(taken);
    setLost(false);
    // The model and all that works on pictures is loaded for those who bring one.
    import('./own-photo.tsx').then(
      ({ OwnPhoto: view }) => setOwn({ view }),
      () => setLost(true),
    );
  }, []);
  useDrop(take);
  usePaste(take);
  const View = own?.view;
  return (
    <div class="try-it">
      {file && View ? <View file={file} onFile={take} /> : <Sample />}
      {isLost && <Notice tone="bad">The preview could not be loaded. Reload the page, then try again.</Notice>}
      {!(file && View) && (
        <div class="try-drop" aria-busy={file !== undefined && !isLost}>
          <p>
            <strong>Try your own photo.</strong>{' '}
            <span class="muted">
              Drop it anywhere on this page, no account needed. Your browser makes the preview; while it loads, a small
              copy gets a quick look from our service and is not kept.
            </span>
          </p>
          <FileButton onFile={take}>Choose a photo</FileButton>
        </div>
      )}
    </div>
  );
};
