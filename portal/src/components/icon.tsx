/** Icons: 16 px, one stroke, drawn here. They repeat what the text says, so they are hidden from screen readers. */
const paths = {
  overview: 'M2.5 9.5 8 3l5.5 6.5M4 8v5.5h8V8',
  keys: 'M10.6 2.4a3 3 0 1 1 0 6 3 3 0 0 1 0-6M8.5 7.5l-6 6M2.5 13.5h2.2v-2.2h2V9.3',
  logs: 'M3 4h10M3 8h10M3 12h6',
  playground: 'M2.5 3.5h11v9h-11zM2.5 10l3-3 2.5 2.5L10.5 7l3 3',
  batches: 'M2.5 5.5h11v8h-11zM4 3.5h8M5.5 1.8h5M2.5 11l2.6-2.6 2.2 2.2 1.7-1.7 2.6 2.6',
  retry: 'M13 8a5 5 0 1 1-1.5-3.6M11.8 1.8v2.9H8.9',
  folder: 'M2 4h4.2l1.4 1.6H14v7.2H2z',
  billing: 'M2 4.5h12v7.5H2zM2 7h12M4.5 9.8h2.5',
  webhooks: 'M5.5 5.5 3 8l2.5 2.5M10.5 5.5 13 8l-2.5 2.5M9 3.5l-2 9',
  settings: 'M2.5 5h6M12 5h1.5M2.5 11H5M8.5 11h5M10.3 3.3v3.4M6.8 9.3v3.4',
  activity: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2M8 5v3.2l2.2 1.5',
  security: 'M8 2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.8 8l1.6 1.6L10.4 6.4',
  docs: 'M3.5 2.5h6.5l2.5 2.5v8.5h-9zM6 8h4.5M6 10.5h4.5',
  copy: 'M6 6h7.5v7.5H6zM10 6V2.5H2.5V10H6',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  close: 'm4 4 8 8M12 4l-8 8',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5',
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  warn: 'M8 2.5 14.2 13.3H1.8zM8 6.8v2.9M8 11.6v.1',
  info: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2M8 7.3v3.5M8 5.1v.1',
  download: 'M8 2.5v7.5M4.8 7.2 8 10.4l3.2-3.2M3 13.5h10',
  plus: 'M8 2.5v11M2.5 8h11',
  minus: 'M2.5 8h11',
  brush:
    'M13.3 2.7a1.3 1.3 0 0 0-1.9 0L6.6 7.5l1.9 1.9 4.8-4.8a1.3 1.3 0 0 0 0-1.9M6.6 8.6a2.2 2.2 0 0 0-2.7 1.9c-.1 1.2-.6 1.8-1.6 2.2 1.8 1 4.9.9 5.4-1.6',
  eraser: 'm9.3 3 3.7 3.7-6.3 6.3H4.4L2.3 10.9a.9.9 0 0 1 0-1.3zM6 6.4l3.7 3.7M6.7 13h6.8',
  box: 'M2.5 5V2.5H5M11 2.5h2.5V5M13.5 11v2.5H11M5 13.5H2.5V11M2.5 7.2v1.6M13.5 7.2v1.6M7.2 2.5h1.6M7.2 13.5h1.6',
  hand: 'M8 2v12M2 8h12M6.2 3.8 8 2l1.8 1.8M6.2 12.2 8 14l1.8-1.8M3.8 6.2 2 8l1.8 1.8M12.2 6.2 14 8l-1.8 1.8',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6H9a4 4 0 0 1 0 8H6.5',
  redo: 'M10.5 3l3 3-3 3M13.5 6H7a4 4 0 0 0 0 8h2.5',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  forward: 'M6 3.5 10.5 8 6 12.5',
  image: 'M2.5 3h11v10h-11zM2.5 10.5l3-3 2.5 2.5 2-2 3.5 3.5M10.3 5.8v.1',
  signOut: 'M6.5 3h-4v10h4M10 5l3 3-3 3M13 8H6.5',
  mail: 'M2 3.5h12v9H2zM2 4.5l6 4.5 6-4.5',
  external: 'M6 3.5H3v9.5h9.5v-3M9 3h4v4M13 3 7.5 8.5',
} as const;
export type IconName = keyof typeof paths;

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    class="icon"
    stroke-width={name === 'plus' ? 2 : 1.35}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={paths[name]} />
  </svg>
);
