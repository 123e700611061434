/** A test key of the visitor's own for what can be copied from a page: made here, and kept in this tab. */
import { useNewKey } from '../use-held-keys.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/** `use`: what it is for, in its label. */
export const NewTestKey = ({ use }: { use: string }) => {
  const { creating, problem, create } = useNewKey(use);
  return (
    <>
      <Button compact busy={creating !== undefined} onClick={() => void create('test')}>
        Put a new test key in
      </Button>
      {problem && <Notice tone="bad">{problem.detail}</Notice>}
    </>
  );
};
