import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../shared/findings.ts';
import type { Evidence } from '../../../../shared/imaging/findings/evidence.ts';
import { findAll } from '../../../../shared/imaging/findings/find.ts';
import { isRefusedFor } from '../../../../shared/imaging/findings/finding.ts';
import type { Size } from '../../../../shared/imaging/raster.ts';
import { lettering } from '../../../support/findings/lettering.ts';
import { evidenceOf } from './scene.ts';

const phone: Size = { width: 360, height: 780 };
const words = (text: string, x: number, y: number, height: number): string =>
  lettering(text, { x, y, height, colour: '#1b1b1d' });

const ground = '<rect width="100%" height="100%" fill="#ffffff"/>';
const photo =
  '<rect y="80" width="360" height="320" fill="#8a9aa5"/><rect y="280" width="360" height="120" fill="#7a4f30"/>';
const product = '<circle cx="180" cy="240" r="90" fill="#b03a2e"/>';
const statusBar = `${words('9:41', 26, 18, 11)}<rect x="310" y="18" width="22" height="11" rx="3" fill="#1b1b1d"/>`;
const pill = '<rect x="115" y="766" width="130" height="5" rx="2" fill="#1b1b1d"/>';
const buttons =
  '<path d="M78 754v12l-12 -6z"/><circle cx="180" cy="760" r="7"/><rect x="283" y="754" width="12" height="12"/>';
const offer = [0, 1, 2, 3].map((i) => words('FREE RETURN IN 30 DAYS', 16, 430 + i * 40, 10)).join('');

const screenshotIn = async (
  background: string,
  size: Size = phone,
  more: Partial<Evidence> = {},
): Promise<Finding | undefined> => {
  const found = findAll(await evidenceOf({ background: ground + background, product, size }, more));
  return found.find(({ code }) => code === 'looks_like_screenshot');
};

describe('looks_like_screenshot', () => {
  it("is found for a phone's screen, and says what it is told by", async () => {
    const finding = await screenshotIn(photo + statusBar + offer + pill);
    expect(finding).toMatchObject({ severity: 'recommended', box: null, marketplaces: [] });
    expect(finding?.detail).toContain('status bar and navigation bar');
    expect(finding && isRefusedFor(finding, 'amazon')).toBe(false);
    expect(await screenshotIn(statusBar + buttons)).toBeDefined();
  });
  it('is found where the status bar lies on the photo, by the navigation bar and rows of small text', async () => {
    const wall = Array.from({ length: 18 }, (_, i) => `<rect x="${i * 20}" width="10" height="400" fill="#b9c4cc"/>`);
    const bleeding = `<rect width="360" height="400" fill="#8a9aa5"/>${wall.join('')}${statusBar}`;
    expect((await screenshotIn(bleeding + offer + pill))?.detail).toMatch(/navigation bar and 4 rows of small text/);
  });
  it('is found for a phone that has no navigation bar only by the exact size of its screen', async () => {
    const drawn = photo + statusBar + offer;
    const size = { width: 360, height: 640 };
    expect(await screenshotIn(drawn, size, { photo: { width: 750, height: 1334 } })).toBeDefined();
    expect(await screenshotIn(drawn, size, { photo: { width: 760, height: 1351 } })).toBeUndefined();
  });
  it("is found for a browser's window", async () => {
    const size = { width: 768, height: 480 };
    const strip = `<rect width="768" height="22" fill="#dee1e6"/><rect x="48" y="4" width="124" height="18" fill="#ffffff"/>${words('MY SHOP', 60, 10, 6)}`;
    const bar = `<rect y="22" width="768" height="22" fill="#ffffff"/><rect x="64" y="25" width="608" height="15" rx="7" fill="#eef1f5"/>${words('MYSHOP.NET', 76, 30, 6)}`;
    const page = '<rect y="44" width="768" height="436" fill="#f4f4f5"/>';
    expect((await screenshotIn(page + strip + bar, size))?.detail).toContain('address bar');
    expect(await screenshotIn(page + strip, size)).toBeUndefined();
    expect(await screenshotIn(page + bar, size)).toBeUndefined();
    const empty = '<rect width="768" height="22" fill="#dee1e6"/>';
    expect(await screenshotIn(page + empty + bar, size)).toBeUndefined();
  });
  it.each([
    ["a header like a status bar with rows of text, on a poster of a phone's proportions", statusBar + offer],
    ['a bar in the middle of the lower end', photo + pill],
    ['a text above and below a photo', `${photo}${words('NEW', 160, 30, 20)}${words('SWIPE UP', 140, 750, 12)}`],
    ['lines of a table', offer],
  ])('is not found for %s', async (_, background) => {
    expect(await screenshotIn(background)).toBeUndefined();
  });
  it('is not found for a photo of a phone, whose bars are not at the edge of the photo', async () => {
    const screen = `<rect x="20" y="40" width="320" height="700" fill="#111111"/><g transform="translate(36 60) scale(.8)">${ground.replace(/100%/g, '360').replace('height="360"', 'height="780"')}${photo}${statusBar}${offer}${pill}</g>`;
    expect(await screenshotIn(`<rect width="360" height="780" fill="#b8a58f"/>${screen}`)).toBeUndefined();
  });
});
