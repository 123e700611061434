import { Notice } from '../components/notice.tsx';
import type { Refused } from './post-photo.ts';

/** Why a call was refused, and what to do. */
export const RefusedNotice = ({ code, detail, remedy }: Refused) => (
  <Notice tone="bad">
    {detail} {remedy} <a href={`/docs/errors#${code}`}>{code}</a>
    {code === 'insufficient_credits' && (
      <>
        {' '}
        <a href="/billing">Buy a pack</a>
      </>
    )}
  </Notice>
);
