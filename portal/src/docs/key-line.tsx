/** The line that sets the key for the samples: with a test key of the visitor's own, where there is one in this tab. */
import { Code } from '../components/code.tsx';
import { NewTestKey } from '../components/new-test-key.tsx';
import { useMay } from '../session.tsx';
import { useHeldKeys } from '../use-held-keys.ts';

export const KeyLine = () => {
  const may = useMay();
  const own = useHeldKeys().find(({ mode }) => mode === 'test');
  return (
    <>
      <Code source={`export PACKSHOT_KEY=${own?.secret ?? 'packshot_live_…'}`} />
      {may('keys') && !own && <NewTestKey use="Docs" />}
      {own && <p class="small muted">Your test key “{own.label}”. It is shown in this tab only, until a reload.</p>}
    </>
  );
};
