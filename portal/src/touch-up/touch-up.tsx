/** One photo on the bench: the editor, why it is here, and its new file. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AddFiles } from '../batches/choose-files.tsx';
import { Cost } from '../batches/cost.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Notice } from '../components/notice.tsx';
import { Editor, FindingNotice } from './editor.tsx';
import { matteFile } from './matte-file.ts';
import { useEditing } from './use-editing.ts';
import type { Find, Finding } from './use-finder.ts';

type BenchProps = {
  file: File;
  mode: 'live' | 'test';
  available: number;
  finding: Finding;
  find: Find;
  onMake: (matte: Blob) => Promise<void> | void;
  /** Why the photo is here, and other things to do with it. */
  children?: ComponentChildren;
  further?: ComponentChildren;
};

/** Of a photo that is in this tab. */
export const Bench = ({ file, mode, available, finding, find, onMake, children, further }: BenchProps) => {
  const { editing, version, isUnreadable } = useEditing(file, finding, find);
  const [isMaking, setMaking] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => setMaking(false), [file]);
  const make = async (): Promise<void> => {
    if (!editing) return;
    setMaking(true);
    setFailed(false);
    try {
      await onMake(await matteFile(editing.plane));
    } catch {
      setFailed(true);
    } finally {
      setMaking(false);
    }
  };
  const isShort = mode === 'live' && available < 1;
  const isBusy = finding.kind === 'loading' || finding.kind === 'finding';
  const isEmpty = editing?.isEmpty() ?? true;
  return (
    <div class="bench touch-bench">
      <div>
        {isUnreadable ? (
          <Notice tone="bad">This browser cannot show {file.name}. Send it as a JPEG, PNG or WebP.</Notice>
        ) : editing ? (
          <Editor {...{ file, editing, version, finding, find }} />
        ) : (
          <div class="touch-waiting">
            <FindingNotice finding={finding} />
          </div>
        )}
      </div>
      <div class="panel">
        <Card title="New file">
          <Cost photos={1} mode={mode} available={available} />
          <Button
            kind="primary"
            class="wide"
            busy={isMaking}
            disabled={!editing || isBusy || isEmpty || isShort}
            onClick={() => void make()}
          >
            {mode === 'test' ? 'Make the file, free' : 'Make the file for 1 credit'}
          </Button>
          {hasFailed && (
            <Notice tone="bad">
              This browser could not write the matte. Nothing was sent; close other pages and try again.
            </Notice>
          )}
          {editing && isEmpty && <p class="small muted">Nothing is kept: no file can be made of it.</p>}
          {further}
        </Card>
        {children}
      </div>
    </div>
  );
};

type MissingProps = { name: string; onFile: (file: File) => void; further?: ComponentChildren };

/** The service gives photos to nobody back, and this tab has not got it. */
export const MissingPhoto = ({ name, onFile, further }: MissingProps) => (
  <div class="touch-missing">
    <p>
      <strong>{name}</strong> is not in this tab any more. Choose it from your computer to touch it up.
    </p>
    <div class="row">
      <AddFiles label="Choose the photo" onFiles={({ files: [file] }) => file && onFile(file)} />
      {further}
    </div>
  </div>
);
