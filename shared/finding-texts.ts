/**
 * What each finding means and what to do about it, for documents and for images that failed with its code. What was
 * measured on one photo, and the advice for it, come with the finding itself. Without the schemas, for the browser.
 */
import type { FindingCode } from './findings.ts';

export type FindingText = {
  /** A heading. */
  readonly title: string;
  /** What was seen, and why it matters. */
  readonly meaning: string;
  /** What the seller should do. */
  readonly remedy: string;
};

export const findingTexts: Readonly<Record<FindingCode, FindingText>> = {
  product_cropped: {
    title: 'The product is cut off',
    meaning:
      'The product reaches the edge of the photo, so a part of it is missing. No background removal can bring it back, and marketplaces want the whole product in the main image.',
    remedy: 'Take the photo again from further away, with some background on every side of the product.',
  },
  source_too_small: {
    title: 'Too few pixels',
    meaning:
      'The product has fewer pixels than the canvas asks for, so it has to be enlarged and looks soft. Zoom on the product page needs real pixels.',
    remedy: 'Send the original file of the camera, not a thumbnail or a picture saved from a chat, or move closer.',
  },
  source_blurred: {
    title: 'Blurred',
    meaning: 'The edges and the surface of the product show no fine detail: out of focus, or the camera moved.',
    remedy: 'Take the photo again with a tripod or more light, and let the camera focus on the product.',
  },
  several_products: {
    title: 'More than one product',
    meaning:
      'Several separate things stand in the photo. A main image shows what the buyer gets, once; accessories that are not included are a reason for refusal.',
    remedy: 'Photograph the product alone. Where all the parts are sold together, nothing needs to be done.',
  },
  text_or_logo_overlay: {
    title: 'Text or a logo on the photo',
    meaning:
      'Text stands beside the product: a price, a badge, a watermark. Text printed on the product itself is not meant.',
    remedy:
      'Send the photo without the overlay. What lies on the background is removed with it; what lies on the product stays.',
  },
  person_in_photo: {
    title: 'A person in the photo',
    meaning:
      'A face was found; whose it is, is not looked for. For most products a marketplace wants the main image without people. A doll, a statue or a print has a face too.',
    remedy:
      'Photograph the product alone, or on a ghost mannequin. Clothing may be shown on a model where the marketplace allows it.',
  },
  border_or_frame: {
    title: 'A border or frame',
    meaning: 'The photo has a border of its own. It is taken for a part of the scene and disturbs the cut-out.',
    remedy: 'Send the photo without the border, or crop it off.',
  },
  collage: {
    title: 'Several pictures in one',
    meaning: 'The file is put together from several pictures. A main image is one view of one product.',
    remedy: 'Send each picture as a file of its own.',
  },
  low_confidence: {
    title: 'The cut-out is unsure',
    meaning:
      'Product and background are hard to tell apart here: the same colours, glass, or a busy scene. The result may lack parts or have some too many.',
    remedy:
      'Look at the result before you use it, or take the photo again against a plain background of another colour.',
  },
  already_white: {
    title: 'Already on white',
    meaning: 'The photo already stands on pure white and may pass as it is. Nothing needs to be mended.',
    remedy: 'Use the photo as it is, or have it centred and framed for one credit.',
  },
  looks_like_screenshot: {
    title: 'Looks like a screenshot',
    meaning:
      'The picture is that of a whole screen: a status bar with the time, a navigation bar or the address bar of a browser is on it. The product is small in it, and the bars and texts count as the scene.',
    remedy: 'Send the photo itself, as the camera or the shop stored it.',
  },
};

export const isFindingCode = (code: string): code is FindingCode => Object.hasOwn(findingTexts, code);

/** For an image that failed with a finding's code; undefined for any other code. */
export const remedyOf = (code: string): string | undefined =>
  isFindingCode(code) ? findingTexts[code].remedy : undefined;
