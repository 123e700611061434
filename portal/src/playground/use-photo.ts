import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../session.tsx';
import { type ReadPhoto, readPhoto } from './read-photo.ts';

type Taken = Extract<ReadPhoto, { ok: true }>;

/** The chosen photo with its size and a URL to show it by, or why a file was not taken. */
export const usePhoto = (): {
  photo: Taken | undefined;
  problem: string | undefined;
  take: (file: File) => void;
} => {
  const [photo, setPhoto] = useState<Taken>();
  const [problem, setProblem] = useState<string>();
  const takesHeic = useSession().config?.takes_heic ?? false;
  const latest = useRef(0);
  const take = useCallback(
    (file: File): void => {
      const turn = ++latest.current;
      void readPhoto(file, takesHeic).then((read) => {
        if (turn !== latest.current) return;
        setProblem(read.ok ? undefined : read.problem);
        if (read.ok) setPhoto(read);
      });
    },
    [takesHeic],
  );
  useEffect(() => photo && (() => URL.revokeObjectURL(photo.url)), [photo]);
  return { photo, problem, take };
};
