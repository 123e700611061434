/** Puts a finding together: its severity and marketplaces follow from its code. */
import type { Finding, FindingCode } from '../../findings.ts';
import type { MarketplaceName } from '../../marketplaces/index.ts';
import { scaleBox, snapOutward } from '../box.ts';
import type { Box, Size } from '../raster.ts';
import { refusals } from './refusals.ts';

type Told = {
  /** With the figure that was measured. */
  readonly detail: string;
  readonly remedy: string;
  /** In the photo's pixels, may be fractional; undefined where the whole photo is meant. */
  readonly box?: Box | undefined;
  /** False where it is not as bad as what marketplaces refuse. */
  readonly isRefused?: boolean;
};

/** `required` where a marketplace refuses listings for it. */
export const findingOf = (code: FindingCode, { detail, remedy, box, isRefused = true }: Told, photo: Size): Finding => {
  const refusing = (isRefused && refusals[code]) || [];
  const reasons = refusing.map(({ marketplace, says }) => `${marketplace}: ${says}`).join('; ');
  return {
    code,
    severity: refusing.length > 0 ? 'required' : 'recommended',
    detail: reasons ? `${detail} (${reasons})` : detail,
    box: box ? snapOutward(box, photo) : null,
    remedy,
    marketplaces: refusing.map(({ marketplace }) => marketplace),
  };
};

export type Point = { readonly x: number; readonly y: number };
/** A finding about a part of a photo, in the photo: `at` is the part's upper left corner there. */
export const movedBy = (finding: Finding, { x, y }: Point): Finding => {
  const { box } = finding;
  return box ? { ...finding, box: { ...box, x: box.x + x, y: box.y + y } } : finding;
};

/** Whether a listing on `marketplace` is refused for it. */
export const isRefusedFor = ({ severity, marketplaces }: Finding, marketplace: MarketplaceName): boolean =>
  severity === 'required' && marketplaces.includes(marketplace);

/** A box of a picture that shows all of the photo, in the photo's pixels. */
export const inPhoto = (box: Box, picture: Size, photo: Size): Box =>
  scaleBox(box, photo.width / picture.width, photo.height / picture.height);

export const percent = (share: number): string => `${Math.round(share * 100)} %`;
