/** The line that sets the key for the samples: with a test key of the visitor's own, where there is one in this tab. */
import { Button } from '../components/button.tsx';
import { Code } from '../components/code.tsx';
import { Notice } from '../components/notice.tsx';
import { useSession } from '../session.tsx';
import { useHeldKeys, useNewKey } from '../use-held-keys.ts';

export const KeyLine = () => {
  const { me } = useSession();
  const own = useHeldKeys().find(({ mode }) => mode === 'test');
  const { creating, problem, create } = useNewKey('Docs');
  return (
    <>
      <Code source={`export PACKSHOT_KEY=${own?.secret ?? 'packshot_live_…'}`} />
      {me && !own && (
        <Button compact busy={creating !== undefined} onClick={() => void create('test')}>
          Put a new test key in
        </Button>
      )}
      {problem && <Notice tone="bad">{problem.detail}</Notice>}
      {own && <p class="small muted">Your test key “{own.label}”. It is shown in this tab only, until a reload.</p>}
    </>
  );
};
