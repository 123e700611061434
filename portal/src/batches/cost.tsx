import { Notice } from '../components/notice.tsx';
import { count, dollars, plural } from '../format.ts';

type Props = { photos: number; mode: 'live' | 'test'; available: number };

/** What a batch costs at most: an image that has no download costs nothing. */
export const Cost = ({ photos, mode, available }: Props) => {
  if (mode === 'test')
    return (
      <p class="small">Free with a test key: results are reduced, carry a mark, and count among the 200 of a day.</p>
    );
  return (
    <>
      <dl class="cost" aria-label="Cost">
        <div class="cost-total">
          <dt>{plural(photos, 'photo')}</dt>
          <dd>
            {plural(photos, 'credit')}, <strong class="num">{dollars(photos)}</strong>
          </dd>
        </div>
        <div>
          <dt>You have</dt>
          <dd class="num">
            {plural(available, 'credit')}, {dollars(available)}
          </dd>
        </div>
      </dl>
      {photos > available ? (
        <Notice tone="bad">
          {count(photos - available)} credits are missing. <a href="/billing">Buy a pack</a>
        </Notice>
      ) : (
        <p class="small muted">At most: a photo that fails costs nothing.</p>
      )}
    </>
  );
};
