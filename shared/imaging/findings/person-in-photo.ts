/** person_in_photo: a face. A statue or a print has one too, and clothes may be shown on a person: only ever a recommendation. */
import type { Finding } from '../../findings.ts';
import { longerSide } from '../box.ts';
import type { Evidence } from './evidence.ts';
import { findingOf, inPhoto, percent } from './finding.ts';

export const personInPhoto = ({ faces, picture, photo }: Evidence): Finding | undefined => {
  const [face] = faces;
  if (!face) return undefined;
  const { box } = face;
  return findingOf(
    'person_in_photo',
    {
      detail: `A face, ${percent(box.height / longerSide(picture))} as high as the photo is long`,
      remedy:
        'Show the product without people where the marketplace asks for that. Clothes on a person, a doll or a print may be in order.',
      box: inPhoto(box, picture, photo),
    },
    photo,
  );
};
