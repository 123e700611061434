/** The call that makes the file on the page, in several languages: all that it sends, and nothing else. */
import { CodeTabs } from '../components/code-tabs.tsx';
import { Icon } from '../components/icon.tsx';
import { useObjectUrl } from '../components/use-object-url.ts';
import { uploadSamples } from '../samples/upload.ts';
import { type Choice, sentFields } from './options.ts';

/** `matte`: that of the file on the page, where one was painted. */
export const SameCall = ({ name, choice, matte }: { name: string; choice: Choice; matte: Blob | undefined }) => {
  const url = useObjectUrl(matte);
  return (
    <section aria-label="The same call in code" class="stack tight">
      <div class="row between">
        <h2>The same call in code</h2>
        {url && (
          <a class="button compact" href={url} download="matte.png">
            <Icon name="download" size={14} />
            Your matte.png
          </a>
        )}
      </div>
      {matte && <p class="hint">It sends what you painted beside the photo: matte.png says what is product.</p>}
      <CodeTabs label="Language" samples={uploadSamples(name, sentFields(choice, matte), matte && 'matte.png')} />
    </section>
  );
};
