/** How long files are kept. */
import { limits } from '../../../../shared/limits.ts';
import type { Retention } from '../../../../shared/portal-api.ts';
import { post } from '../../api.ts';
import { Card } from '../../components/card.tsx';
import { Problem } from '../../components/problem.tsx';
import { useCall } from '../../use-call.ts';
import { useQuery } from '../../use-query.ts';

const { daysDefault, daysMax } = limits.retention;
const choices: readonly (readonly [string, string])[] = [
  ['0', 'Not after the first complete download'],
  ...[1, 3, daysDefault, 14, daysMax].map((days): [string, string] => [
    days === daysDefault ? '' : String(days),
    `${days} ${days === 1 ? 'day' : 'days'}${days === daysDefault ? ' (default)' : ''}`,
  ]),
];
const choiceOf = (days: number | null): string => (days === null || days === daysDefault ? '' : String(days));

export const RetentionCard = () => {
  const { problem, run } = useCall();
  const query = useQuery<Retention>('/account/retention');
  const choose = async (value: string): Promise<void> => {
    await run(post('/account/retention', { days: value === '' ? null : Number(value) }));
    query.reload();
  };
  return (
    <Card title="Retention" lead="For everything sent from now on. Links never outlive the files.">
      <Problem problem={problem} />
      <label class="field">
        <span>Keep results for</span>
        <select
          value={choiceOf(query.value?.days ?? null)}
          disabled={query.value === undefined}
          onChange={(e) => void choose(e.currentTarget.value)}
        >
          {choices.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </Card>
  );
};
