import { useCallback, useEffect, useState } from 'preact/hooks';
import { limits } from '../../../shared/limits.ts';

/** The chosen photo with a URL to show it by, or why a file was not taken. */
export const usePhoto = (): {
  photo: File | undefined;
  photoUrl: string;
  problem: string | undefined;
  take: (file: File) => void;
} => {
  const [photo, setPhoto] = useState<File>();
  const [photoUrl, setPhotoUrl] = useState('');
  const [problem, setProblem] = useState<string>();
  const take = useCallback((file: File): void => {
    const tooLarge = file.size > limits.upload.fileBytesMax;
    setProblem(tooLarge ? `The file is larger than ${limits.upload.fileBytesMax / 1e6} MB.` : undefined);
    if (!tooLarge) setPhoto(file);
  }, []);
  useEffect(() => {
    if (!photo) return;
    const url = URL.createObjectURL(photo);
    setPhotoUrl(url);
    return () => URL.revokeObjectURL(url);
  }, [photo]);
  return { photo, photoUrl, problem, take };
};
