/** Photos of a batch that need a look, one after the other: what is product is painted, and the file made anew. */
import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import { SendingNotice } from '../batches/batch-head.tsx';
import { useSentElsewhere } from '../batches/folder-lock.ts';
import { Reasons } from '../batches/photo-dialog.tsx';
import { resumeSending, sendPhotos, useSending } from '../batches/sending.ts';
import { type ShownPhoto, shownPhotos, standings } from '../batches/shown-photo.ts';
import { useFolder } from '../batches/use-folder.ts';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Icon } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { plural } from '../format.ts';
import { ownPath } from '../playground/run.ts';
import { useMe } from '../session.tsx';
import { chooseFile, chosenFile, dropDraft } from '../touch-up/drafts.ts';
import { nextOf, queueOf } from '../touch-up/queue.ts';
import { Bench, MissingPhoto } from '../touch-up/touch-up.tsx';
import { useFinder } from '../touch-up/use-finder.ts';

const Why = ({ shown }: { shown: ShownPhoto }) => (
  <Card title="Why it is here">
    <div class="row tight">
      <Badge tone={standings[shown.standing].tone}>{standings[shown.standing].name}</Badge>
    </div>
    <Reasons shown={shown} />
    {shown.photo?.preview_url && (
      <figure class="touch-result">
        <img src={ownPath(shown.photo.preview_url)} alt="Result until now" width={256} height={256} />
        <figcaption class="small muted">Result until now</figcaption>
      </figure>
    )}
  </Card>
);

type StepsProps = { queue: readonly ShownPhoto[]; position: number; onGo: (position: number) => void };

const QueueSteps = ({ queue, position, onGo }: StepsProps) => {
  const at = queue.findIndex((one) => one.position === position);
  const step = (by: number): void => {
    const next = queue[(at + by + queue.length) % queue.length];
    if (next) onGo(next.position);
  };
  if (queue.length < 2) return null;
  return (
    <nav class="row tight" aria-label="Photos to look at">
      <Button aria-label="Previous photo" onClick={() => step(-1)}>
        <Icon name="back" size={14} />
      </Button>
      <span class="small num">
        {at + 1} of {queue.length}
      </span>
      <Button aria-label="Next photo" onClick={() => step(1)}>
        <Icon name="forward" size={14} />
      </Button>
    </nav>
  );
};

/** Fields of the batch that hold for a photo with a matte. */
const withoutRegion = ({ region: _replaced, ...fields }: Readonly<Record<string, string>>) => fields;

const TouchUp = () => {
  const { params, query } = useRoute();
  const { route: navigate } = useLocation();
  const { account } = useMe();
  const folderId = params['folderId'] ?? '';
  const asked = query['photo'] === undefined ? undefined : Number(query['photo']);
  const sending = useSending(folderId);
  const elsewhere = useSentElsewhere(folderId, sending.holdsLock);
  const { detail, problem } = useFolder(folderId, sending, elsewhere);
  const { findingOf, find } = useFinder();
  const [over, setOver] = useState<ReadonlySet<number>>(new Set());
  const [chosen, setChosen] = useState(asked);
  const [, filesChanged] = useReducer((n: number, _: undefined) => n + 1, 0);
  const [made, setMade] = useState(0);
  const shown = useMemo(() => shownPhotos(detail, sending.locals), [detail, sending]);
  const queue = useMemo(() => queueOf(shown, asked, over), [shown, asked, over]);
  const current = queue.find(({ position }) => position === chosen) ?? queue[0];
  const batchPath = `/batches/${folderId}`;
  // The photo that is shown stays while others of the batch end.
  useEffect(() => {
    if (current && current.position !== chosen) setChosen(current.position);
  }, [current?.position]);

  if (!detail || !current)
    return (
      <>
        <PageHead title="Touch up" />
        <Problem problem={problem} />
        {!detail && !problem && <Skeleton height={24} />}
        {detail && (
          <div class="stack">
            <Notice>
              {made > 0 ? `${plural(made, 'photo')} sent. ` : ''}Nothing is left to look at in this batch.
            </Notice>
            <div class="row">
              <a class="button primary" href={batchPath}>
                Back to {detail.folder.name}
              </a>
            </div>
          </div>
        )}
      </>
    );

  const { position, name } = current;
  const { mode, fields } = detail.folder;
  const leave = (): void => {
    const next = nextOf(queue, position);
    setOver((before) => new Set(before).add(position));
    if (next) setChosen(next.position);
    else navigate(batchPath);
  };
  const make = (file: File, matte: Blob): void => {
    sendPhotos(folderId, withoutRegion(fields), [{ position, file, matte }], { isReplacement: true });
    dropDraft(file);
    setMade((n) => n + 1);
    leave();
  };
  const local = sending.locals.get(position);
  // One whose touch-up failed is in this tab all the same, unless another photo has taken its place since.
  const isStill = local?.matte && (local.state === 'refused' || local.batchId === current.photo?.last_batch_id);
  const file = chosenFile(folderId, position) ?? current.file ?? (isStill ? local.file : undefined);
  const isOther = file !== undefined && file.name !== name;
  const skip = (
    <Button kind="quiet" class="wide" onClick={leave}>
      Skip: leave it as it is
    </Button>
  );
  return (
    <>
      <PageHead
        title={name}
        lead={
          <>
            Touch-up in <a href={batchPath}>{detail.folder.name}</a>: {plural(queue.length, 'photo')} to look at
          </>
        }
      >
        <QueueSteps queue={queue} position={position} onGo={setChosen} />
      </PageHead>
      <p class="visually-hidden" role="status">
        {made > 0 ? `${plural(made, 'photo')} sent. Now ${name}.` : ''}
      </p>
      <SendingNotice
        sending={sending}
        waiting={shown.filter(({ standing }) => standing === 'waiting' || standing === 'sending').length}
        onResume={() => resumeSending(folderId)}
      />
      {isOther && (
        <Notice tone="warn">
          You chose {file.name}, and this is {name}. The file of what you chose takes its place.
        </Notice>
      )}
      {file ? (
        <Bench
          key={position}
          file={file}
          mode={mode ?? 'live'}
          available={account.available}
          finding={findingOf(file)}
          find={find}
          onMake={(matte) => make(file, matte)}
          further={skip}
        >
          <Why shown={current} />
        </Bench>
      ) : (
        <div class="bench touch-bench">
          <MissingPhoto
            name={name}
            onFile={(one) => {
              chooseFile(folderId, position, one);
              filesChanged(undefined);
            }}
          />
          <div class="panel">
            <Why shown={current} />
            {skip}
          </div>
        </div>
      )}
    </>
  );
};
export default TouchUp;
