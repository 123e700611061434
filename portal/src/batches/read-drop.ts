/** The files of a drop: single ones, and those in folders, as deep as `folderLimits` says. */
import { folderLimits } from './limits.ts';

/** `name`: of the one folder that was dropped, where it was one. */
export type Dropped = { readonly files: readonly File[]; readonly name: string | undefined };

/** To be called while the event is being handled: its items are gone afterwards. */
export const readDrop = async (data: DataTransfer): Promise<Dropped> => {
  const items = Array.from(data.items).filter(({ kind }) => kind === 'file');
  const entries = items.map((item) => item.webkitGetAsEntry());
  const plain = Array.from(data.files);
  // A file that a script made has no entry.
  if (entries.some((entry) => entry === null)) return { files: plain, name: undefined };
  const files: File[] = [];
  for (const entry of entries) if (entry) await collect(entry, files, 0);
  const [first] = entries;
  return { files, name: entries.length === 1 && first?.isDirectory ? first.name : undefined };
};

/** Of an `<input webkitdirectory>` each file says its path. */
export const readChosen = (list: FileList | null): Dropped => {
  const files = Array.from(list ?? []).slice(0, folderLimits.entriesMax);
  const folder = files[0]?.webkitRelativePath.split('/')[0];
  return { files, name: folder || undefined };
};

const collect = async (entry: FileSystemEntry, files: File[], depth: number): Promise<void> => {
  if (files.length >= folderLimits.entriesMax || depth > folderLimits.depthMax) return;
  if (entry.isFile) {
    files.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives its entries a hundred at a time, and an empty list at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await collect(one, files, depth + 1);
  }
};
