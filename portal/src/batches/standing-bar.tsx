import { count } from '../format.ts';
import { type Standing, standings } from './shown-photo.ts';

const order: readonly Standing[] = ['ready', 'needs_a_look', 'retake', 'failed', 'deleted', 'running'];

/** How the photos of a batch stand, as one bar; in words for screen readers. */
export const StandingBar = ({
  counts,
  total,
}: {
  counts: Readonly<Partial<Record<Standing, number>>>;
  total: number;
}) => {
  const parts = order.flatMap((standing) => {
    const photos = counts[standing] ?? 0;
    return photos > 0 ? [{ standing, photos }] : [];
  });
  const said = parts
    .map(({ standing, photos }) => `${count(photos)} ${standings[standing].name.toLowerCase()}`)
    .join(', ');
  return (
    <div class="standing-bar" role="img" aria-label={said ? `${said} of ${count(total)}` : `0 of ${count(total)} done`}>
      {parts.map(({ standing, photos }) => (
        <span key={standing} class={standing} style={{ width: `${(100 * photos) / Math.max(1, total)}%` }} />
      ))}
    </div>
  );
};
