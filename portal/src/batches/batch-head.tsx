/** Of a batch: what it is, how far it is, what it cost, and all of it to take away. */
import type { FolderDetail } from '../../../shared/portal-api.ts';
import { PORTAL_API } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { count, dollars, plural, timeText } from '../format.ts';
import { marketplaceLabels } from '../marketplace-labels.ts';
import type { SendingView } from './sending.ts';
import type { Standing } from './shown-photo.ts';
import { StandingBar } from './standing-bar.tsx';

type Counts = Readonly<Record<Standing, number>>;

const madeFor = ({ marketplace = 'amazon', marketplaces }: Readonly<Record<string, string>>): string =>
  (marketplaces ?? marketplace)
    .split(',')
    .map((name) => marketplaceLabels[name as keyof typeof marketplaceLabels] ?? name)
    .join(', ');

export const BatchHead = ({ detail, done }: { detail: FolderDetail; done: number }) => {
  const { folder, archives } = detail;
  const zip = `${PORTAL_API}/folders/${folder.folder_id}/results.zip`;
  return (
    <PageHead
      title={folder.name}
      lead={`${plural(folder.photos, 'photo')} for ${madeFor(folder.fields)}, started ${timeText(folder.created_at)}`}
    >
      {done > 0 && (
        <>
          <a class="button" href={`${PORTAL_API}/folders/${folder.folder_id}/results.csv`} download>
            <Icon name="download" size={14} />
            CSV
          </a>
          {Array.from({ length: archives }, (_, i) => i + 1).map((part) => (
            <a key={part} class="button primary" href={`${zip}?part=${part}`} download>
              <Icon name="download" size={14} />
              {archives === 1 ? 'Download ZIP' : `ZIP ${part} of ${archives}`}
            </a>
          ))}
        </>
      )}
    </PageHead>
  );
};

const Figure = ({ name, value, sub }: { name: string; value: string; sub?: string | undefined }) => (
  <div>
    <dt>{name}</dt>
    <dd class="num">
      {value}
      {sub && <span class="small muted"> {sub}</span>}
    </dd>
  </div>
);

type ProgressProps = { detail: FolderDetail; counts: Counts; total: number };

export const BatchProgress = ({ detail, counts, total }: ProgressProps) => {
  const done = counts.ready + counts.needs_a_look + counts.retake;
  const ended = done + counts.failed + counts.deleted;
  const posted = detail.credits.reduce((sum, row) => sum + row.posted, 0);
  const held = detail.credits.reduce((sum, row) => sum + row.held, 0);
  return (
    <div class="stack tight">
      <StandingBar counts={counts} total={total} />
      <dl class="batch-figures">
        <Figure name="Done" value={`${count(ended)} of ${count(total)}`} />
        <Figure name="Ready" value={count(counts.ready)} />
        <Figure name="To look at" value={count(counts.needs_a_look + counts.retake)} />
        <Figure name="Failed" value={count(counts.failed)} sub={counts.failed > 0 ? 'not charged' : undefined} />
        <Figure
          name="Charged"
          value={detail.folder.mode === 'test' ? 'nothing' : dollars(posted)}
          sub={
            held > 0 ? `${dollars(held)} held` : detail.folder.mode === 'test' ? 'test key' : plural(posted, 'credit')
          }
        />
      </dl>
      <p class="visually-hidden" role="status">
        {ended === total ? `All ${count(total)} photos have ended.` : ''}
      </p>
    </div>
  );
};

type SendingProps = { sending: SendingView; waiting: number; onResume: () => void };

/** While photos are only in this tab, and when they cannot be sent. */
export const SendingNotice = ({ sending: { isBusy, stopped }, waiting, onResume }: SendingProps) => {
  if (stopped)
    return (
      <Notice tone="bad">
        Stopped with {plural(waiting, 'photo')} not sent: {stopped.detail}{' '}
        {stopped.code === 'insufficient_credits' && <a href="/billing">Buy a pack</a>}{' '}
        <Button compact onClick={onResume}>
          Go on
        </Button>
      </Notice>
    );
  if (!isBusy) return null;
  return (
    <Notice>
      Sending: {plural(waiting, 'photo')} to go. Keep this tab open until all are sent; after that you may close it.
    </Notice>
  );
};
