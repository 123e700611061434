/** A folder of photos in; past batches below. */
import { useCallback, useState } from 'preact/hooks';
import { ChooseFiles, useDropped } from '../batches/choose-files.tsx';
import { LeftOutFiles } from '../batches/left-out.tsx';
import { NewBatch } from '../batches/new-batch.tsx';
import { PastBatches } from '../batches/past-batches.tsx';
import type { Dropped } from '../batches/read-drop.ts';
import { type Sorted, sortFiles } from '../batches/sort-files.ts';
import { PageHead } from '../components/page-head.tsx';
import { useSession } from '../session.tsx';

const Batches = () => {
  const [sorted, setSorted] = useState<Sorted>();
  const takesHeic = useSession().config?.takes_heic ?? false;
  const take = useCallback(
    (dropped: Dropped): void => {
      if (dropped.files.length > 0) void sortFiles(dropped, takesHeic).then(setSorted);
    },
    [takesHeic],
  );
  const over = useDropped(take);
  const hasPhotos = sorted !== undefined && sorted.photos.length > 0;
  return (
    <>
      <PageHead title="Batches" lead="A folder of product photos in, a ZIP of main images and a table out." />
      {hasPhotos ? (
        <NewBatch key={sorted.name} sorted={sorted} onDiscard={() => setSorted(undefined)} />
      ) : (
        <div class="stack">
          {sorted && <LeftOutFiles files={sorted.leftOut} />}
          <ChooseFiles over={over} onFiles={take} />
          <PastBatches />
        </div>
      )}
    </>
  );
};
export default Batches;
