/** Which tab of this browser sends a folder's photos: one at a time, so that none is sent, and charged, twice. */
import { useEffect, useState } from 'preact/hooks';
import { folderLimits } from './limits.ts';

const nameOf = (folderId: string): string => `packshot-folder-${folderId}`;

export type Release = () => void;

/** Browsers have no locks on pages that did not come by https. */
const hasLocks = (): boolean => 'locks' in navigator;

/** Undefined where another tab has it; with `waits`, once that has let it go. Held until released, or the tab is closed. */
export const lockFolder = (folderId: string, { waits }: { readonly waits: boolean }): Promise<Release | undefined> =>
  new Promise((resolve) => {
    if (!hasLocks()) return resolve(() => {});
    void navigator.locks.request(nameOf(folderId), { ifAvailable: !waits }, async (lock) => {
      if (lock) await new Promise<void>((release) => resolve(() => release()));
      else resolve(undefined);
    });
  });

const isHeld = async (folderId: string): Promise<boolean> => {
  if (!hasLocks()) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === nameOf(folderId));
};

/** Whether another tab sends photos of the folder. `holds`: this one has the lock. Undefined until that is known. */
export const useSentElsewhere = (folderId: string, holds: boolean): boolean | undefined => {
  const [elsewhere, setElsewhere] = useState<boolean>();
  useEffect(() => {
    if (holds) {
      setElsewhere(false);
      return;
    }
    let isOver = false;
    const look = (): void =>
      void isHeld(folderId).then((held) => {
        if (!isOver) setElsewhere(held);
      });
    // A lock that this tab has just let go may still be listed.
    if (elsewhere === undefined) look();
    const timer = setInterval(look, folderLimits.pollMs);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [folderId, holds]);
  return elsewhere;
};
