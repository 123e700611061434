/** A drawn person in a shirt, as a shop would show it; the detector takes the face for one. */
import sharp from 'sharp';

export type Person = {
  readonly skin: string;
  readonly hair: string;
  readonly shirt: string;
  /** Height of the face over the photo's longer side. */
  readonly faceShare: number;
};

export const persons: readonly Person[] = [
  { skin: '#d9a383', hair: '#3a2a20', shirt: '#7a3434', faceShare: 0.105 },
  { skin: '#8d5a3c', hair: '#141010', shirt: '#34507a', faceShare: 0.12 },
  { skin: '#f0c4a4', hair: '#a8763a', shirt: '#3f6b4a', faceShare: 0.14 },
];

/** Height of the face that `head` draws, px. */
const FACE_PX = 168;

const head = (skin: string, hair: string): string =>
  `<ellipse cy="-18" rx="78" ry="92" fill="${hair}"/><rect x="-26" y="70" width="52" height="60" fill="${skin}"/>
  <ellipse rx="64" ry="84" fill="${skin}"/><ellipse rx="64" ry="84" fill="url(#light)"/>
  <path d="M-66 -30Q-50 -96 0 -92Q50 -96 66 -30Q40 -66 0 -62Q-40 -66 -66 -30Z" fill="${hair}"/>
  <path d="M-44 -22Q-28 -32 -12 -23M44 -22Q28 -32 12 -23" stroke="${hair}" stroke-width="6" fill="none"/>
  <g fill="#fff"><ellipse cx="-27" cy="-6" rx="14" ry="7.5"/><ellipse cx="27" cy="-6" rx="14" ry="7.5"/></g>
  <g fill="#2b1a12"><circle cx="-27" cy="-6" r="6.5"/><circle cx="27" cy="-6" r="6.5"/></g>
  <path d="M-41 -7Q-27 -18 -13 -7M41 -7Q27 -18 13 -7" stroke="#4a2a1a" stroke-width="3" fill="none"/>
  <path d="M-5 -4Q-12 22 -14 28Q0 36 14 28Q12 22 5 -4" fill="#000" fill-opacity=".13"/>
  <g fill="#5b2a1a"><ellipse cx="-7" cy="29" rx="4" ry="2.5"/><ellipse cx="7" cy="29" rx="4" ry="2.5"/></g>
  <path d="M-24 50Q0 40 24 50Q0 66 -24 50Z" fill="#a8504a"/>
  <path d="M-24 50Q0 54 24 50" stroke="#6b2a26" stroke-width="2.5" fill="none"/>`;

/** JPEG of 1,200 × 1,600 px, and the box of the face in it. */
export const photoOfPerson = async ({ skin, hair, shirt, faceShare }: Person) => {
  const scale = (faceShare * 1600) / FACE_PX;
  const [x, y] = [600, 340];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="1600"><defs>
    <radialGradient id="light" cx=".42" cy=".4" r=".75"><stop offset="0" stop-color="#fff" stop-opacity=".3"/>
    <stop offset=".6" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".3"/></radialGradient></defs>
    <rect width="1200" height="1600" fill="#fff"/>
    <path d="M470 1500L440 ${y + 150 * scale}Q600 ${y + 70 * scale} 760 ${y + 150 * scale}L730 1500Z" fill="${shirt}"/>
    <g transform="translate(${x} ${y}) scale(${scale})">${head(skin, hair)}</g></svg>`;
  const bytes = new Uint8Array(await sharp(Buffer.from(svg)).blur(1.2).jpeg({ quality: 92 }).toBuffer());
  const [width, height] = [128 * scale, FACE_PX * scale];
  return { bytes, face: { x: x - width / 2, y: y - height / 2, width, height } };
};
