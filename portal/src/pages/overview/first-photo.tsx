/** The first request, ready to be pasted, and a word as soon as it has come. */
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Notice } from '../../components/notice.tsx';
import { firstCall } from '../../samples/first-call.ts';
import { useHeldKeys, useNewKey } from '../../use-held-keys.ts';

export const FirstPhoto = () => {
  const own = useHeldKeys().find(({ mode }) => mode === 'test');
  const { creating, problem, create } = useNewKey('Overview');
  return (
    <div class="stack tight first-photo">
      <Code source={firstCall(own?.secret ?? 'packshot_test_…')} title="Paste it into a terminal" />
      {own ? (
        <p class="small muted">
          With your test key “{own.label}”, free for small, marked images. Its secret is shown in this tab only, until a
          reload.
        </p>
      ) : (
        <Button compact busy={creating !== undefined} onClick={() => void create('test')}>
          Put a new test key in
        </Button>
      )}
      {problem && <Notice tone="bad">{problem.detail}</Notice>}
      <p class="row tight small muted" role="status">
        <span class="spinner" aria-hidden="true" /> Waiting for your first request
      </p>
    </div>
  );
};
