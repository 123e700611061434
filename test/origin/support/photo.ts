/** Product photos drawn by ourselves: a patterned mug-like shape on a plain, slightly uneven ground. */
import sharp from 'sharp';

export type PhotoOptions = { width?: number; height?: number; hue?: number };

export const drawProduct = async ({
  width = 1200,
  height = 900,
  hue = 210,
}: PhotoOptions = {}): Promise<Uint8Array> => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="${width}" height="${height}">
    <defs>
      <linearGradient id="ground" y2="1" x2="0"><stop offset="0" stop-color="#dcd8d2"/><stop offset="1" stop-color="#b9b3aa"/></linearGradient>
      <linearGradient id="body"><stop offset="0" stop-color="hsl(${hue} 60% 22%)"/><stop offset=".35" stop-color="hsl(${hue} 65% 52%)"/><stop offset="1" stop-color="hsl(${hue} 60% 18%)"/></linearGradient>
    </defs>
    <rect width="400" height="300" fill="url(#ground)"/>
    <ellipse cx="200" cy="248" rx="78" ry="12" fill="#8a8379" opacity=".6"/>
    <path d="M262 110 h22 a34 34 0 0 1 0 90 h-26 v-18 h20 a16 16 0 0 0 0 -54 h-16 z" fill="hsl(${hue} 60% 30%)"/>
    <path d="M130 70 h140 l-10 170 a60 16 0 0 1 -120 0 z" fill="url(#body)"/>
    <ellipse cx="200" cy="70" rx="70" ry="16" fill="hsl(${hue} 40% 14%)"/>
    <circle cx="190" cy="150" r="26" fill="#f3e2b3"/><path d="M150 200 h95" stroke="#f3e2b3" stroke-width="8"/>
  </svg>`;
  return new Uint8Array(await sharp(Buffer.from(svg)).jpeg({ quality: 90 }).toBuffer());
};
