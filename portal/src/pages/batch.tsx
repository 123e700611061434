/** One batch: its photos as they fill in, each with its verdict; filtered, retried, downloaded together. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import type { FolderDetail, PortalProblem } from '../../../shared/portal-api.ts';
import { get } from '../api.ts';
import { BatchHead, BatchProgress, SendingNotice } from '../batches/batch-head.tsx';
import { AddFiles } from '../batches/choose-files.tsx';
import { type Filter, FilterTabs, passes } from '../batches/filter-tabs.tsx';
import { lockFolder, useSentElsewhere } from '../batches/folder-lock.ts';
import { LeftOutFiles } from '../batches/left-out.tsx';
import { missingPhotos } from '../batches/missing-photos.ts';
import type { Placed } from '../batches/parts.ts';
import { PhotoDialog } from '../batches/photo-dialog.tsx';
import type { Dropped } from '../batches/read-drop.ts';
import { resumeSending, type SendingView, sendPhotos, useSending } from '../batches/sending.ts';
import { countsOf, type ShownPhoto, shownPhotos } from '../batches/shown-photo.ts';
import { type Sorted, sortFiles } from '../batches/sort-files.ts';
import { Tile } from '../batches/tile.tsx';
import { useFolder } from '../batches/use-folder.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { count, plural } from '../format.ts';
import { useSession } from '../session.tsx';
import { canTouchUp, isToLookAt } from '../touch-up/queue.ts';

type MissingProps = { detail: FolderDetail; shown: readonly ShownPhoto[]; sending: SendingView; isSettled: boolean };

const BUSY = { code: 'busy', detail: 'Photos of this batch are being sent already. Wait until they are all there.' };

/** Photos that were chosen and never arrived, as after a closed tab: the same folder brings the rest. */
const Missing = ({ detail, shown, sending, isSettled }: MissingProps) => {
  const { folder_id, fields, photos } = detail.folder;
  const missing = photos - shown.length;
  const takesHeic = useSession().config?.takes_heic ?? false;
  const [leftOut, setLeftOut] = useState<Sorted['leftOut']>([]);
  const [problem, setProblem] = useState<PortalProblem>();
  const take = async (dropped: Dropped): Promise<void> => {
    const sorted = await sortFiles(dropped, takesHeic);
    setLeftOut(sorted.leftOut);
    const lock = await lockFolder(folder_id, { waits: false });
    if (!lock) return setProblem(BUSY);
    // Asked once nobody else can send: a photo that is sent twice is charged twice.
    const now = await get<FolderDetail>(`/folders/${folder_id}`);
    setProblem(now.ok ? (now.value.arriving.length > 0 ? BUSY : undefined) : now.problem);
    if (!now.ok || now.value.arriving.length > 0) return lock();
    const rest = missingPhotos(photos, shownPhotos(now.value, sending.locals), sorted.photos);
    sendPhotos(folder_id, fields, rest, { isReplacement: false, lock });
  };
  if (missing <= 0 || !isSettled || sending.isBusy) return <LeftOutFiles files={leftOut} />;
  return (
    <Notice tone="warn">
      {plural(missing, 'photo')} of {photos} never arrived; the tab was closed, or they were no images. They cost
      nothing. Choose the folder again to send what is missing.{' '}
      <AddFiles label="Choose the folder" folder onFiles={(dropped) => void take(dropped)} />
      <Problem problem={problem} />
    </Notice>
  );
};

const isOver = ({ standing }: ShownPhoto): boolean => !passes('unfinished', standing);

type GridProps = { detail: FolderDetail; shown: readonly ShownPhoto[]; sending: SendingView };

const Photos = ({ detail, shown, sending }: GridProps) => {
  const { folder_id, fields } = detail.folder;
  const [filter, setFilter] = useState<Filter>('all');
  const [open, setOpen] = useState<number>();
  const counts = countsOf(shown);
  const again = shown.flatMap(({ standing, position, file }): Placed[] =>
    standing === 'failed' && file ? [{ position, file, matte: sending.locals.get(position)?.matte }] : [],
  );
  const send = (photos: readonly Placed[]): void => {
    setOpen(undefined);
    sendPhotos(folder_id, fields, photos, { isReplacement: true });
  };
  const touchUp = `/batches/${folder_id}/touch-up`;
  const toLookAt = shown.filter(isToLookAt).length;
  const opened = shown.find(({ position }) => position === open);
  return (
    <>
      <div class="row between">
        <FilterTabs filter={filter} counts={counts} onFilter={setFilter} />
        {toLookAt > 0 && (
          <a class="button compact" href={touchUp}>
            <Icon name="brush" size={14} />
            {toLookAt === 1 ? '1 needs a look: touch it up' : `${count(toLookAt)} need a look: touch them up`}
          </a>
        )}
        {again.length > 0 && !sending.isBusy && (
          <Button compact onClick={() => send(again)}>
            <Icon name="retry" size={14} />
            Retry {plural(again.length, 'failed photo')}, charged only if it succeeds
          </Button>
        )}
      </div>
      <ul class="tiles" aria-label="Photos">
        {shown
          .filter(({ standing }) => passes(filter, standing))
          .map((one) => (
            <Tile key={one.position} shown={one} onOpen={() => setOpen(one.position)} />
          ))}
      </ul>
      {opened && (
        <PhotoDialog
          shown={opened}
          onClose={() => setOpen(undefined)}
          touchUpPath={canTouchUp(opened) ? `${touchUp}?photo=${opened.position}` : undefined}
          onReplace={isOver(opened) ? (file) => send([{ position: opened.position, file }]) : undefined}
          onRetry={
            opened.standing === 'failed' && opened.file
              ? () => send(again.filter(({ position }) => position === opened.position))
              : undefined
          }
        />
      )}
    </>
  );
};

const Batch = () => {
  const { params } = useRoute();
  const folderId = params['folderId'] ?? '';
  const sending = useSending(folderId);
  const elsewhere = useSentElsewhere(folderId, sending.holdsLock);
  const { detail, isSettled, problem } = useFolder(folderId, sending, elsewhere);
  const shown = useMemo(() => shownPhotos(detail, sending.locals), [detail, sending]);
  const settled = detail?.credits.map(({ held, posted }) => `${held} ${posted}`).join();
  const { refresh } = useSession();
  // The balance beside the page is the account's, not the batch's.
  useEffect(() => {
    if (settled !== undefined) void refresh();
  }, [settled]);
  if (!detail)
    return (
      <>
        <PageHead title="Batch" />
        <Problem problem={problem} />
        {!problem && <Skeleton height={24} />}
      </>
    );
  const counts = countsOf(shown);
  const done = counts.ready + counts.needs_a_look + counts.retake;
  const total = Math.max(detail.folder.photos, shown.length);
  return (
    <>
      <BatchHead detail={detail} done={done} />
      <div class="stack">
        <BatchProgress detail={detail} counts={counts} total={total} />
        <Problem problem={problem} />
        <SendingNotice
          sending={sending}
          waiting={counts.waiting + counts.sending}
          onResume={() => resumeSending(folderId)}
        />
        {elsewhere && <Notice>Another tab is sending photos of this batch. Keep it open until all are sent.</Notice>}
        <Missing detail={detail} shown={shown} sending={sending} isSettled={isSettled} />
        <div class="stack tight">
          <Photos detail={detail} shown={shown} sending={sending} />
        </div>
      </div>
    </>
  );
};
export default Batch;
