/** The photo of a finished run on the touch-up's bench: what is product is painted, and the file made anew. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import type { HeldKey } from '../held-keys.ts';
import { useMe } from '../session.tsx';
import { draftOf, keepDraft } from '../touch-up/drafts.ts';
import { createSteps } from '../touch-up/plane.ts';
import { registeredOf } from '../touch-up/registered.ts';
import { Bench } from '../touch-up/touch-up.tsx';
import { type Find, useFinder } from '../touch-up/use-finder.ts';
import type { Asked } from './asked.ts';
import { type Choice, regionOf, sentFields } from './options.ts';
import { RefusedNotice } from './refused-notice.tsx';
import { type RunOutcome, runOnApi } from './run.ts';
import type { Ran } from './seen.ts';

type Props = {
  photo: File;
  choice: Choice;
  /** That of the run before. */
  runKey: HeldKey;
  /** Also once the bench was left. */
  onRan: (ran: Ran, asked: Asked) => void;
  onClose: () => void;
};

/** What was sent stays the matte of this photo, and is nothing that leaving the page would lose. */
const settleDraft = (photo: File): void => {
  const draft = draftOf(photo);
  if (draft) keepDraft(photo, { ...draft, steps: createSteps() });
};

export const TouchUpRun = ({ photo, choice, runKey, onRan, onClose }: Props) => {
  const { account } = useMe();
  const { findingOf, find } = useFinder();
  const [refused, setRefused] = useState<Extract<RunOutcome, { ok: false }>>();
  const section = useRef<HTMLElement>(null);
  const isLeft = useRef(false);
  useEffect(() => {
    section.current?.focus();
    return () => {
      isLeft.current = true;
    };
  }, []);
  // As the run before looked for it.
  const region = regionOf(choice);
  const findHere = useCallback<Find>((file, asked, onFound) => find(file, asked ?? region, onFound), [choice.region]);
  const make = async (matte: Blob): Promise<void> => {
    setRefused(undefined);
    const plane = draftOf(photo);
    const fields = sentFields(choice, matte);
    const outcome = await runOnApi(photo, photo.name, fields, runKey.secret, matte);
    if (!outcome.ok) return setRefused(outcome);
    const registered = plane && registeredOf(plane.plane, plane.photo);
    settleDraft(photo);
    onRan({ outcome, key: runKey, mode: runKey.mode, matte, ...(registered && { registered }) }, { photo, choice });
    if (!isLeft.current) onClose();
  };
  return (
    <section ref={section} tabIndex={-1} aria-label={`Touch up ${photo.name}`}>
      <Bench
        file={photo}
        mode={runKey.mode}
        available={account.available}
        finding={findingOf(photo)}
        find={findHere}
        onMake={make}
        further={
          <Button kind="quiet" class="wide" onClick={onClose}>
            Back without a new file
          </Button>
        }
      >
        {refused && <RefusedNotice {...refused} />}
        <p class="hint">
          The product as this browser finds it; paint what it should be. The options stay those of the run
          {choice.region ? ', and the region gives way to what you paint' : ''}.
        </p>
      </Bench>
    </section>
  );
};
