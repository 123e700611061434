/** Which files of a folder that is chosen again have not arrived, and whose places they take. Pure. */

type Known = { readonly position: number; readonly name: string };
type Named = { readonly name: string };

/**
 * `photos`: that were chosen at first, in the same order as `files`. A file has arrived where its own position has its
 * name; of the others, as many of a name as arrived elsewhere. So two of one name are two photos.
 */
export const missingPhotos = <Chosen extends Named>(
  photos: number,
  known: readonly Known[],
  files: readonly Chosen[],
): readonly { readonly position: number; readonly file: Chosen }[] => {
  const nameAt = new Map(known.map(({ position, name }) => [position, name]));
  const elsewhere = new Map<string, number>();
  for (const { position, name } of known)
    if (files[position]?.name !== name) elsewhere.set(name, (elsewhere.get(name) ?? 0) + 1);
  const rest = files.flatMap((file, position) => {
    if (nameAt.get(position) === file.name) return [];
    const arrived = elsewhere.get(file.name) ?? 0;
    if (arrived > 0) elsewhere.set(file.name, arrived - 1);
    return arrived > 0 ? [] : [{ position, file }];
  });
  const isFree = (position: number): boolean => position < photos && !nameAt.has(position);
  const own = rest.filter(({ position }) => isFree(position));
  const taken = new Set(own.map(({ position }) => position));
  const free = Array.from({ length: photos }, (_, i) => i).filter((i) => isFree(i) && !taken.has(i));
  const others = rest.filter(({ position }) => !isFree(position)).slice(0, free.length);
  return [...own, ...others.map(({ file }, i) => ({ file, position: free[i] ?? 0 }))];
};
