/** Choosing a photo: drop it, paste it, or pick it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { limits } from '../../../shared/limits.ts';
import { Icon } from '../components/icon.tsx';

/** The first image among files of a drop, a paste or a picker. */
const imageOf = (files: FileList | null | undefined): File | undefined =>
  Array.from(files ?? []).find((file) => file.type.startsWith('image/'));

export const usePaste = (onFile: (file: File) => void): void => {
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const file = imageOf(event.clipboardData?.files);
      if (file) onFile(file);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, [onFile]);
};

export const FileButton = ({ onFile, children }: { onFile: (file: File) => void; children: string }) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button compact" onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        accept="image/*"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(e) => {
          const file = imageOf(e.currentTarget.files);
          if (file) onFile(file);
        }}
      />
    </>
  );
};

export const DropZone = ({ onFile, onSample }: { onFile: (file: File) => void; onSample: () => void }) => {
  const [over, setOver] = useState(false);
  return (
    <div>
      <label
        class={`drop ${over ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const file = imageOf(event.dataTransfer?.files);
          if (file) onFile(file);
        }}
      >
        <Icon name="image" size={32} />
        <strong>Drop a product photo</strong>
        <span class="muted small">
          or click to choose, or paste from the clipboard
          <br />
          up to {limits.upload.fileBytesMax / 1e6} MB; the preview stays on your computer
        </span>
        <input
          class="visually-hidden"
          type="file"
          accept="image/*"
          name="photo"
          onChange={(e) => {
            const file = imageOf(e.currentTarget.files);
            if (file) onFile(file);
          }}
        />
      </label>
      <p class="sample-line small muted">
        No photo at hand?{' '}
        <button type="button" class="link-button" onClick={onSample}>
          Use a sample
        </button>
      </p>
    </div>
  );
};
