/** Choosing a photo: drop it, paste it, or pick it. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { limits } from '../../../shared/limits.ts';
import { Icon } from '../components/icon.tsx';
import { useFileDrop } from '../components/use-file-drop.ts';

/** Of a drop, a paste or a picker: the first image, or what was there instead, so that it can be told why not. */
const fileOf = (files: FileList | null | undefined): File | undefined => {
  const all = Array.from(files ?? []);
  return all.find((file) => file.type.startsWith('image/')) ?? all[0];
};

/** Anywhere on the page. True while files are held over it. */
export const useDrop = (onFile: (file: File) => void): boolean =>
  useFileDrop(
    useCallback(
      (data) => {
        const file = fileOf(data.files);
        if (file) onFile(file);
      },
      [onFile],
    ),
  );

export const usePaste = (onFile: (file: File) => void): void => {
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const file = fileOf(event.clipboardData?.files);
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
          const file = fileOf(e.currentTarget.files);
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
        onDragOver={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={() => setOver(false)}
      >
        <Icon name="image" size={32} />
        <strong>Drop a product photo</strong>
        <span class="muted small">
          or click to choose, or paste from the clipboard
          <br />
          JPEG, PNG, WebP, AVIF, TIFF, BMP, PSD, JPEG XL or GIF, up to {limits.upload.fileBytesMax / 1e6} MB;
          <br />
          the preview stays on your computer
        </span>
        <input
          class="visually-hidden"
          type="file"
          accept="image/*"
          name="photo"
          onChange={(e) => {
            const file = fileOf(e.currentTarget.files);
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
