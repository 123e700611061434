/**
 * Backgrounds of the rendered scenes, drawn on a board of 1200 × 900. `texture`: strength of the surface's grain, sRGB
 * levels.
 */
const gradient = (id: string, from: string, to: string): string =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`;
/** A soft contact shadow below the product. */
const shadow = (y: number, darkness: number): string =>
  `<radialGradient id="s"><stop offset="0" stop-color="#000" stop-opacity="${darkness}"/><stop offset="1" stop-color="#000" stop-opacity="0"/></radialGradient><ellipse cx="600" cy="${y}" rx="330" ry="40" fill="url(#s)"/>`;

export type Room = 'table' | 'studio' | 'cloth' | 'concrete' | 'white' | 'green';

export const rooms: Record<Room, { readonly svg: string; readonly texture: number }> = {
  table: {
    svg: `<defs>${gradient('w', '#8f9aa3', '#b9c0c4')}${gradient('t', '#8a5a34', '#5d3a20')}</defs><rect width="1200" height="560" fill="url(#w)"/><rect y="560" width="1200" height="340" fill="url(#t)"/>${Array.from({ length: 14 }, (_, i) => `<path d="M0 ${575 + i * 24}Q600 ${560 + i * 26} 1200 ${580 + i * 24}" stroke="#4a2c16" stroke-opacity=".35" stroke-width="${1 + (i % 3)}" fill="none"/>`).join('')}${shadow(735, 0.5)}`,
    texture: 6,
  },
  studio: {
    svg: `<defs>${gradient('w', '#e9e6e1', '#d9d5ce')}${gradient('t', '#cfcac2', '#e2ded7')}</defs><rect width="1200" height="640" fill="url(#w)"/><rect y="640" width="1200" height="260" fill="url(#t)"/>${shadow(842, 0.28)}`,
    texture: 2,
  },
  cloth: {
    svg: `<defs>${gradient('w', '#37506b', '#223449')}</defs><rect width="1200" height="900" fill="url(#w)"/>${Array.from({ length: 9 }, (_, i) => `<path d="M${i * 150 - 40} 0Q${i * 150 + 60} 450 ${i * 150 - 20} 900" stroke="#6f8aa6" stroke-opacity=".25" stroke-width="26" fill="none"/>`).join('')}${shadow(850, 0.45)}`,
    texture: 8,
  },
  concrete: {
    svg: `<defs>${gradient('w', '#9b9a96', '#7d7c78')}</defs><rect width="1200" height="900" fill="url(#w)"/>${shadow(690, 0.55)}`,
    texture: 16,
  },
  white: {
    svg: `<defs>${gradient('w', '#fdfdfd', '#f4f4f3')}</defs><rect width="1200" height="900" fill="url(#w)"/>${shadow(735, 0.22)}`,
    texture: 0,
  },
  green: {
    svg: `<defs>${gradient('w', '#4f9a55', '#2f6a3a')}</defs><rect width="1200" height="900" fill="url(#w)"/>${shadow(790, 0.4)}`,
    texture: 10,
  },
};

export const roomNames = Object.keys(rooms) as readonly Room[];
