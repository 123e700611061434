/** Which photos of a batch are to be looked at, one after the other. Pure. */

/** As much of a photo that is shown as decides on its place. */
type Queued = {
  readonly position: number;
  readonly standing: string;
  readonly photo: { readonly error: { readonly code: string } | null } | undefined;
};

/** A result that a person has to look at. */
export const isToLookAt = ({ standing }: Pick<Queued, 'standing'>): boolean =>
  standing === 'needs_a_look' || standing === 'retake';

/** A cut-out can be made of it by hand: there is a result, or only the product was not found. */
export const canTouchUp = ({ standing, photo }: Pick<Queued, 'standing' | 'photo'>): boolean =>
  standing === 'ready' ||
  isToLookAt({ standing }) ||
  (standing === 'failed' && photo?.error?.code === 'no_product_found');

/** In the order of the batch. `asked`: one that was opened by itself stays in it. `over`: skipped, or sent. */
export const queueOf = <Photo extends Queued>(
  shown: readonly Photo[],
  asked: number | undefined,
  over: ReadonlySet<number>,
): readonly Photo[] =>
  shown.filter((one) => !over.has(one.position) && (isToLookAt(one) || (one.position === asked && canTouchUp(one))));

/** The next one behind `position`, after the last one the first; undefined where no other is left. */
export const nextOf = <Photo extends Queued>(queue: readonly Photo[], position: number): Photo | undefined => {
  const others = queue.filter((one) => one.position !== position);
  return others.find((one) => one.position > position) ?? others[0];
};
