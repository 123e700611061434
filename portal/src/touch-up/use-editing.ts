/** The photo that is edited now, from its file: found again by the browser's model, or as it was left. */
import { useCallback, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { type Draft, draftOf } from './drafts.ts';
import { type Editing, editingOf } from './editing.ts';
import type { FoundMatte } from './protocol.ts';
import type { Find, Finding } from './use-finder.ts';

export type EditingState = {
  readonly editing: Editing | undefined;
  /** Another one after each change. */
  readonly version: number;
  /** The browser cannot show the photo. */
  readonly isUnreadable: boolean;
};

export const useEditing = (file: File, finding: Finding, find: Find): EditingState => {
  const [editing, setEditing] = useState<Editing>();
  const [isUnreadable, setUnreadable] = useState(false);
  const [version, changed] = useReducer((n: number, _: undefined) => n + 1, 0);
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  const open = useCallback(
    (found: FoundMatte | Draft): void => {
      editingOf(file, found, () => changed(undefined)).then(
        (opened) => {
          if (isLeft.current) opened.layers.photo.close();
          else setEditing(opened);
        },
        () => setUnreadable(true),
      );
    },
    [file],
  );
  useEffect(() => {
    const draft = draftOf(file);
    if (draft) open(draft);
    else find(file, undefined, open);
  }, [file]);
  useEffect(() => () => editing?.layers.photo.close(), [editing]);
  return { editing, version, isUnreadable: isUnreadable || (finding.kind === 'failed' && finding.isUnreadable) };
};
