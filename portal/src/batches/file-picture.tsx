import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { useObjectUrl } from '../components/use-object-url.ts';

/** A photo of this computer, as the browser shows it; a sign for one where it cannot, such as a TIFF. */
export const FilePicture = ({ file, faded = false }: { file: File; faded?: boolean }) => {
  const url = useObjectUrl(file);
  const [unreadable, setUnreadable] = useState(false);
  useEffect(() => setUnreadable(false), [file]);
  if (!url || unreadable) return <Icon name="image" size={24} />;
  return (
    <img
      class={faded ? 'faded-picture' : undefined}
      src={url}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setUnreadable(true)}
    />
  );
};
