/** The first request, ready to be pasted, and a word as soon as it has come. */
import { Code } from '../../components/code.tsx';
import { NewTestKey } from '../../components/new-test-key.tsx';
import { firstCall } from '../../samples/first-call.ts';
import { useHeldKeys } from '../../use-held-keys.ts';

export const FirstPhoto = () => {
  const own = useHeldKeys().find(({ mode }) => mode === 'test');
  return (
    <div class="stack tight first-photo">
      <Code source={firstCall(own?.secret ?? 'packshot_test_…')} title="Paste it into a terminal" />
      {own ? (
        <p class="small muted">
          With your test key “{own.label}”, free for small, marked images. Its secret is shown in this tab only, until a
          reload.
        </p>
      ) : (
        <NewTestKey use="Overview" />
      )}
      <p class="row tight small muted" role="status">
        <span class="spinner" aria-hidden="true" /> Waiting for your first request
      </p>
    </div>
  );
};
