/** What was dropped, before anything is sent: which photos, with which options, at what cost. */
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { FolderRow, KeyRow } from '../../../shared/portal-api.ts';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Field } from '../components/field.tsx';
import { Problem } from '../components/problem.tsx';
import { count, plural } from '../format.ts';
import { ApiOptions } from '../playground/option-fields.tsx';
import { fieldsOf, firstChoice } from '../playground/options.ts';
import { useMe } from '../session.tsx';
import { useCall } from '../use-call.ts';
import { Cost } from './cost.tsx';
import { FilePicture } from './file-picture.tsx';
import { KeyField } from './key-field.tsx';
import { LeftOutFiles } from './left-out.tsx';
import { folderLimits } from './limits.ts';
import { sendPhotos } from './sending.ts';
import type { Sorted } from './sort-files.ts';

const Pictures = ({ photos }: { photos: readonly File[] }) => {
  const shown = photos.slice(0, folderLimits.picturesShown);
  return (
    <ul class="tiles" aria-label="Photos">
      {shown.map((file, i) => (
        <li key={`${i} ${file.name}`} class="tile">
          <div class="tile-picture">
            <FilePicture file={file} />
          </div>
          <span class="tile-foot">
            <span class="tile-name clip" title={file.name}>
              {file.name}
            </span>
          </span>
        </li>
      ))}
      {photos.length > shown.length && (
        <li class="tile-more muted small">and {count(photos.length - shown.length)} more</li>
      )}
    </ul>
  );
};

type Props = { sorted: Sorted; onDiscard: () => void };

export const NewBatch = ({ sorted: { photos, leftOut, name: folder }, onDiscard }: Props) => {
  const { account } = useMe();
  const { route: navigate } = useLocation();
  const [name, setName] = useState(folder);
  const [choice, setChoice] = useState(firstChoice);
  const [key, setKey] = useState<KeyRow>();
  const { busy, problem, run } = useCall();
  const isShort = key?.mode === 'live' && photos.length > account.available;
  const start = async (): Promise<void> => {
    if (!key) return;
    const fields = fieldsOf(choice);
    const body = { name: name.trim() || folder, key_id: key.key_id, fields, photos: photos.length };
    const answer = await run(post<FolderRow>('/folders', body));
    if (!answer.ok) return;
    const { folder_id } = answer.value;
    sendPhotos(
      folder_id,
      fields,
      photos.map((file, position) => ({ file, position })),
      { isReplacement: false },
    );
    navigate(`/batches/${folder_id}`);
  };
  return (
    <div class="bench new-batch">
      <div class="stack tight">
        <LeftOutFiles files={leftOut} />
        <Pictures photos={photos} />
      </div>
      <div class="panel">
        <Card title={plural(photos.length, 'photo')}>
          <Field
            label="Name"
            name="name"
            value={name}
            maxLength={120}
            onInput={(e) => setName(e.currentTarget.value)}
          />
          <ApiOptions choice={choice} onChoice={setChoice} />
          <KeyField chosen={key} onChoose={setKey} />
          <Cost photos={photos.length} mode={key?.mode ?? 'live'} available={account.available} />
          <Problem problem={problem} />
          <Button kind="primary" class="wide" busy={busy} disabled={!key || isShort} onClick={() => void start()}>
            {key?.mode === 'test'
              ? `Start ${plural(photos.length, 'photo')}, free`
              : `Start for ${plural(photos.length, 'credit')}`}
          </Button>
          <Button kind="quiet" class="wide" onClick={onDiscard}>
            Discard
          </Button>
        </Card>
      </div>
    </div>
  );
};
