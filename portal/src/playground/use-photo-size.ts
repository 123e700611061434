import { useEffect, useState } from 'preact/hooks';

/** Pixels, upright as the browser turns it. */
export type PhotoSize = { readonly width: number; readonly height: number };

/** Undefined until it is known, and for a photo that this browser cannot show. */
export const usePhotoSize = (photoUrl: string): PhotoSize | undefined => {
  const [size, setSize] = useState<PhotoSize>();
  useEffect(() => {
    setSize(undefined);
    if (photoUrl === '') return;
    const image = new Image();
    let isWanted = true;
    image.onload = () => {
      if (isWanted) setSize({ width: image.naturalWidth, height: image.naturalHeight });
    };
    image.src = photoUrl;
    return () => {
      isWanted = false;
    };
  }, [photoUrl]);
  return size;
};
