/** Photos in: a folder or many of them, dropped anywhere on the page or chosen. */
import { useCallback, useRef } from 'preact/hooks';
import { limits } from '../../../shared/limits.ts';
import { Icon } from '../components/icon.tsx';
import { useFileDrop } from '../components/use-file-drop.ts';
import { type Dropped, readChosen, readDrop } from './read-drop.ts';

type Take = (dropped: Dropped) => void;

const ACCEPT =
  'image/jpeg,image/png,image/webp,image/avif,image/tiff,image/gif,image/bmp,image/vnd.adobe.photoshop,image/jxl,.psd,.psb,.jxl';

/** Takes what is dropped anywhere on the page; true while files are held over it. */
export const useDropped = (onFiles: Take): boolean =>
  useFileDrop(useCallback((data) => void readDrop(data).then(onFiles), [onFiles]));

type PickerProps = { label: string; folder?: boolean; primary?: boolean; onFiles: Take };

/** The browser's own dialog, behind a button. */
const Picker = ({ label, folder = false, primary = false, onFiles }: PickerProps) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={`button ${primary ? 'primary' : ''}`} onClick={() => input.current?.click()}>
        <Icon name={folder ? 'folder' : 'image'} size={14} />
        {label}
      </button>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        multiple
        accept={folder ? undefined : ACCEPT}
        tabIndex={-1}
        aria-hidden="true"
        {...(folder ? { webkitdirectory: true } : {})}
        onChange={(event) => {
          onFiles(readChosen(event.currentTarget.files));
          event.currentTarget.value = '';
        }}
      />
    </>
  );
};

/** `over`: of `useDropped`. */
export const ChooseFiles = ({ over, onFiles }: { over: boolean; onFiles: Take }) => (
  <section class={`folder-drop ${over ? 'over' : ''}`} aria-label="New batch">
    <Icon name="folder" size={36} />
    <h2>{over ? 'Let go to add them' : 'Drop a folder or photos here'}</h2>
    <p class="muted small">
      JPEG, PNG, WebP, AVIF, TIFF, BMP, PSD, JPEG XL or GIF, up to {limits.upload.fileBytesMax / 1e6} MB each and{' '}
      {limits.folders.photosMax} at once. You see what it costs before anything is sent.
    </p>
    <div class="row">
      <Picker label="Choose a folder" folder primary onFiles={onFiles} />
      <Picker label="Choose photos" onFiles={onFiles} />
    </div>
  </section>
);

/** The same for a few more files, without a zone of its own. */
export const AddFiles = ({ label, folder = false, onFiles }: Omit<PickerProps, 'primary'>) => (
  <Picker label={label} folder={folder} onFiles={onFiles} />
);
