/** Which of the account's keys a batch counts against; its secret is not needed. */
import { useEffect } from 'preact/hooks';
import type { KeyCreated, KeyRow } from '../../../shared/portal-api.ts';
import { post } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useCall } from '../use-call.ts';
import { useQuery } from '../use-query.ts';

const isUsable = ({ revoked_at, expires_at, scopes }: KeyRow): boolean =>
  revoked_at === null &&
  (expires_at === null || Date.parse(expires_at) > Date.now()) &&
  scopes.includes('images:write');

type Props = { chosen: KeyRow | undefined; onChoose: (key: KeyRow | undefined) => void };

export const KeyField = ({ chosen, onChoose }: Props) => {
  const { value, problem, reload } = useQuery<{ keys: readonly KeyRow[] }>('/keys');
  const making = useCall();
  const usable = value?.keys.filter(isUsable);
  const first = usable?.find(({ mode }) => mode === 'live') ?? usable?.[0];
  useEffect(() => {
    if (!chosen && first) onChoose(first);
  }, [first?.key_id]);
  const make = async (): Promise<void> => {
    const answer = await making.run(post<KeyCreated>('/keys', { label: 'Batches', mode: 'live' }));
    if (!answer.ok) return;
    onChoose(answer.value.key);
    reload();
  };
  if (problem) return <Problem problem={problem} retry={reload} />;
  if (!usable) return <Skeleton height={4} />;
  const maker = (why: string) => (
    <>
      <p class="small muted">{why}</p>
      <Problem problem={making.problem} />
      <Button busy={making.busy} onClick={() => void make()}>
        Make a key for batches
      </Button>
    </>
  );
  if (usable.length === 0 && !chosen)
    return (
      <div class="stack tight">{maker('Batches count against a key, so that its limits hold. You have none yet.')}</div>
    );
  const hasLive = chosen?.mode === 'live' || usable.some(({ mode }) => mode === 'live');
  return (
    <div class="stack tight">
      <label class="field">
        <span class="label">Counts against the key</span>
        <select
          class="input"
          name="key"
          value={chosen?.key_id ?? ''}
          onChange={(event) => onChoose(usable.find(({ key_id }) => key_id === event.currentTarget.value))}
        >
          {usable.map(({ key_id, label, mode }) => (
            <option key={key_id} value={key_id}>
              {label} ({mode})
            </option>
          ))}
        </select>
      </label>
      {!hasLive && maker('A test key is free; its images are small and carry a mark.')}
    </div>
  );
};
