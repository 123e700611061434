/** The same request once more: in the playground, or as code. */
import type { LogDetail } from '../../../../shared/portal-api.ts';
import { Card } from '../../components/card.tsx';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { againPath, leftOut } from '../../playground/again.ts';
import { type Again, againSamples } from '../../samples/again.ts';

type Asked = Pick<LogDetail, 'entry' | 'images' | 'options' | 'style' | 'fields' | 'request'>;

const HIDDEN_QUERY = '?…';

const sourcesOf = ({ style, request, images }: Asked): readonly string[] =>
  style === 'batch'
    ? ((request?.['images'] ?? []) as readonly { input_url: string }[]).map(({ input_url }) => input_url)
    : images.map(({ original_name }) => original_name ?? 'photo.jpg');

/** Undefined where it would be another request: a matte of the caller's own is not kept. */
export const againOf = (detail: Asked): Again | undefined => {
  const { style, fields, options } = detail;
  if (options?.['matte']) return undefined;
  const sources = sourcesOf(detail);
  return style && fields && sources.length > 0 ? { style, fields, sources } : undefined;
};

export const RequestAgain = ({ detail, again }: { detail: Asked; again: Again }) => {
  const { entry, images } = detail;
  const missing = leftOut(again.fields);
  const isHidden = again.sources.some((source) => source.endsWith(HIDDEN_QUERY));
  return (
    <Card
      title="Run it again"
      lead={
        again.style === 'upload'
          ? 'Run it from the folder with the photos, with a key in PACKSHOT_KEY. Each image costs as before.'
          : 'Run it with a key in PACKSHOT_KEY. Each image costs as before.'
      }
      action={
        <a class="button compact" href={againPath(entry.request_id, again.fields, images[0]?.has_input ?? false)}>
          Open in the playground
        </a>
      }
      flush
    >
      <div class="card-body stack tight">
        <CodeTabs label="Language" samples={againSamples(again)} />
        {entry.images > again.sources.length && (
          <p class="small muted">
            {again.style === 'upload'
              ? `Of ${entry.images} files, the ${again.sources.length} that were photos.`
              : `Of ${entry.images} images, the first ${again.sources.length}.`}
          </p>
        )}
        {again.style === 'batch' && (
          <p class="small muted">An input_authorization is not kept: add it where the photos are private.</p>
        )}
        {isHidden && <p class="small muted">Put back the queries of the addresses: the log hides them.</p>}
        {missing.length > 0 && (
          <p class="small muted">
            The playground has no such options, so these do not come along: {missing.join(', ')}.
          </p>
        )}
      </div>
    </Card>
  );
};
