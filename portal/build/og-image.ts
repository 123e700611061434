/** The picture that a shared link shows: a drawing of what the service does, without lettering, which would need a font. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

export const OG_IMAGE = '/og.png';
/** What Open Graph's readers expect, px. */
const WIDTH = 1_200;
const HEIGHT = 630;
const MARGIN = 48;

/** As tokens.css has them in the light theme. */
const STYLE = `
  .fig-photo { fill: #c9b79f } .fig-table { fill: #8d7459 }
  .fig-canvas { fill: #fff; stroke: #cfcfca }
  .fig-box { fill: none; stroke: #3355e0; stroke-dasharray: 4 4 }
  .fig-arrow, .fig-measure path { fill: none; stroke: #696d76; stroke-width: 1.2 }
  .fig-label { display: none }
  .mug-body { fill: #d2573b } .mug-shade { fill: #b44329 } .mug-rim { fill: #8e331f; stroke: #e0765d; stroke-width: 5 }
  .mug-handle { fill: none; stroke: #b44329; stroke-width: 22; stroke-linecap: round }
  .mug-light { fill: none; stroke: #e98d76; stroke-width: 9; stroke-linecap: round }`;

export const buildOgImage = async (figure: string, into: string): Promise<void> => {
  const drawing = figure.replace(
    /^<svg[^>]*?viewBox="([^"]+)"[^>]*>/,
    `<svg x="${MARGIN}" y="${MARGIN}" width="${WIDTH - 2 * MARGIN}" height="${HEIGHT - 2 * MARGIN}" viewBox="$1">`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><style>${STYLE}</style><rect width="100%" height="100%" fill="#fbfbfa"/>${drawing}</svg>`;
  await writeFile(join(into, OG_IMAGE), await sharp(Buffer.from(svg)).png({ palette: true }).toBuffer());
};
