/** What the portal API refused, with a way to try again where that makes sense. */
import type { PortalProblem } from '../../../shared/portal-api.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

export const Problem = ({ problem, retry }: { problem: PortalProblem | undefined; retry?: () => void }) =>
  problem ? (
    <Notice tone="bad">
      {problem.detail}{' '}
      {retry && (
        <Button compact onClick={retry}>
          Try again
        </Button>
      )}
    </Notice>
  ) : null;
