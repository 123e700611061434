/**
 * Products of the rendered scenes as SVG on a board of 1200 × 900: opaque, shaded like round bodies, holes left open.
 */
const across = (id: string, stops: readonly (readonly [offset: number, colour: string])[]): string =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="1" y2="0">${stops.map(([offset, colour]) => `<stop offset="${offset}" stop-color="${colour}"/>`).join('')}</linearGradient>`;

/** A round body lit from the left. */
const round = (id: string, dark: string, base: string, light: string): string =>
  across(id, [
    [0, dark],
    [0.25, light],
    [0.45, base],
    [0.85, dark],
    [1, base],
  ]);

const mug = (dark: string, base: string, light: string): string =>
  `<defs>${round('b', dark, base, light)}${round('i', base, dark, dark)}</defs>
   <path d="M790 370C930 350 960 440 930 530C905 610 840 640 775 630L782 585C830 588 868 560 880 515C895 455 880 405 788 418Z" fill="url(#i)"/>
   <path d="M380 280L400 690Q405 735 590 737Q775 735 780 690L800 280Z" fill="url(#b)"/>
   <ellipse cx="590" cy="280" rx="210" ry="48" fill="${light}"/><ellipse cx="590" cy="284" rx="192" ry="38" fill="${dark}"/>`;

export const products = {
  /** The handle's hole is open. */
  mug: mug('#7c1f1a', '#c0392b', '#ec7f70'),
  whiteCup: mug('#c9c8c4', '#ebeae7', '#fbfbfa'),
  /** The room shows between legs and slats. */
  chair: `<defs>${round('w', '#5a3318', '#8d5a2e', '#c08a55')}</defs>
    ${[
      [430, 470],
      [700, 740],
    ]
      .map(([x1, x2]) => `<path d="M${x1} 120L${x2} 120L${x2} 520L${x1} 520Z" fill="url(#w)"/>`)
      .join('')}
    ${[150, 250, 350].map((y) => `<path d="M460 ${y}Q585 ${y - 18} 710 ${y}L710 ${y + 44}Q585 ${y + 26} 460 ${y + 44}Z" fill="#9b6636"/>`).join('')}
    <path d="M400 500L770 500L812 570L362 570Z" fill="#a8733f"/><path d="M362 570L812 570L812 600L362 600Z" fill="#6d4220"/>
    ${[
      [372, 364],
      [770, 790],
      [452, 470],
      [690, 676],
    ]
      .map(
        ([x, foot], i) =>
          `<path d="M${x} 598L${x! + 36} 598L${foot! + 30} ${i < 2 ? 845 : 790}L${foot} ${i < 2 ? 845 : 790}Z" fill="url(#w)"/>`,
      )
      .join('')}
    <path d="M392 690L790 690L788 712L392 712Z" fill="#7b4b25"/>`,
  bottle: `<defs>${round('g', '#0c3b24', '#1f7a4a', '#8fd9ae')}${round('l', '#cfc3a4', '#f2e8cd', '#fffaf0')}</defs>
    <path d="M560 60L640 60L642 220Q645 270 690 310Q725 345 725 410L725 820Q725 850 695 850L505 850Q475 850 475 820L475 410Q475 345 510 310Q555 270 558 220Z" fill="url(#g)"/>
    <path d="M475 480L725 480L725 700L475 700Z" fill="url(#l)"/><path d="M500 540H700M500 580H660M500 620H690" stroke="#8a2b2b" stroke-width="14"/>
    <path d="M552 48Q600 36 648 48L648 110L552 110Z" fill="#c9a227"/>`,
  shoe: `<defs>${across('u', [
    [0, '#e67e22'],
    [0.5, '#f39c4a'],
    [1, '#b85f12'],
  ])}</defs>
    <path d="M250 650Q240 600 270 560L300 330Q310 300 350 305L470 340Q520 350 545 400Q640 500 830 535Q960 555 965 620L965 650Z" fill="url(#u)"/>
    <path d="M238 640Q600 668 972 636Q985 690 940 694L290 694Q236 694 238 640Z" fill="#f5f3ee"/>
    <path d="M545 410L620 372M585 450L660 412M630 486L705 448M685 512L752 476" stroke="#fdfcf8" stroke-width="13" stroke-linecap="round"/>
    <path d="M330 620Q470 420 560 560T860 610" stroke="#2c3e50" stroke-width="24" fill="none"/>`,
  /** Two open handles. */
  bag: `<defs>${round('k', '#1b1b22', '#3a3a48', '#77778c')}</defs>
    <path d="M470 330C470 120 730 120 730 330L700 330C700 165 500 165 500 330Z" fill="#2a2a34"/>
    <path d="M360 320L840 320L880 770Q880 800 850 800L350 800Q320 800 320 770Z" fill="url(#k)"/>
    <path d="M345 480L857 480" stroke="#c8a14a" stroke-width="10"/><path d="M560 450H640V540H560Z" fill="#d9b65c"/>`,
} as const;
