/** Icons: 16 px, one stroke, drawn here. They repeat what the text says, so they are hidden from screen readers. */
import { type IconName, iconPaths } from './icon-paths.ts';

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
    <path d={iconPaths[name]} />
  </svg>
);
