/** Products for photos with known findings: those of the scenes, and more, some of them with print. */
import { products as sceneProducts } from '../scene-products.ts';
import { lettering } from './lettering.ts';

const shaded = (id: string, dark: string, base: string, light: string): string =>
  `<defs><linearGradient id="${id}" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="${dark}"/><stop offset=".3" stop-color="${light}"/><stop offset=".5" stop-color="${base}"/><stop offset="1" stop-color="${dark}"/></linearGradient></defs>`;

/** Nothing is written on these. The bottle's label has lines and no letters. */
export const plainProducts: readonly string[] = [
  sceneProducts.mug,
  sceneProducts.bottle,
  sceneProducts.shoe,
  sceneProducts.bag,
  sceneProducts.chair,
  `${shaded('p', '#23303b', '#44596b', '#8ea6ba')}<path d="M420 430Q420 700 600 700Q780 700 780 430Z" fill="url(#p)"/><ellipse cx="600" cy="430" rx="180" ry="34" fill="#5f7a91"/><path d="M775 470L1010 440L1012 470L770 520Z" fill="#2b2b2f"/>`,
  `${shaded('l', '#b58a1b', '#e3b52c', '#f8dd85')}<path d="M500 200L700 200L790 430L410 430Z" fill="url(#l)"/><path d="M590 430H610V720H590Z" fill="#6d6d70"/><ellipse cx="600" cy="730" rx="110" ry="24" fill="#4a4a4d"/>`,
  `${shaded('w', '#3b2417', '#7a4b2c', '#b47b52')}<circle cx="600" cy="450" r="230" fill="url(#w)"/><circle cx="600" cy="450" r="190" fill="#f1ece2"/><path d="M600 450V310M600 450L700 500" stroke="#222" stroke-width="12"/>`,
];

export const shoe = sceneProducts.shoe;

/** With print: no overlay. */
export const printedProducts: readonly string[] = [
  `${shaded('c', '#a9825a', '#c9a077', '#dcb892')}<path d="M370 260H830V700H370Z" fill="url(#c)"/><path d="M370 260H830V320H370Z" fill="#b48c62"/>${lettering('FRAGILE', { x: 420, y: 420, height: 60, colour: '#5b2c12' })}${lettering('THIS SIDE UP', { x: 420, y: 530, height: 34, colour: '#5b2c12' })}`,
  `${shaded('t', '#9c1f2a', '#c62f3c', '#ec7d86')}<path d="M440 220H760V720Q600 760 440 720Z" fill="url(#t)"/><path d="M440 350H760V600H440Z" fill="#f6efe0"/>${lettering('TOMATO', { x: 470, y: 400, height: 48, colour: '#8c1a24', weight: 0.2 })}${lettering('SOUP 400 G', { x: 480, y: 500, height: 26, colour: '#333' })}<ellipse cx="600" cy="220" rx="160" ry="30" fill="#d9d9dc"/>`,
  `<path d="M430 240L540 200Q600 250 660 200L770 240L860 390L770 440L745 390V740H455V390L430 440L340 390Z" fill="#2d4a8a"/>${lettering('PARIS', { x: 500, y: 420, height: 50, colour: '#f4f4ee', weight: 0.2 })}`,
  `<path d="M400 200H800V740H400Z" fill="#214e3b"/><path d="M400 200H440V740H400Z" fill="#173a2b"/>${lettering('THE', { x: 560, y: 280, height: 40, colour: '#e7d9a8' })}${lettering('GARDEN', { x: 480, y: 370, height: 44, colour: '#e7d9a8', weight: 0.2 })}${lettering('A. HILL', { x: 530, y: 640, height: 30, colour: '#e7d9a8' })}`,
];
