import { useLayoutEffect, useState } from 'preact/hooks';
import { applyTheme, nextTheme, storedTheme, type Theme } from '../theme.ts';
import { Icon } from './icon.tsx';

const names = { auto: 'System theme', light: 'Light theme', dark: 'Dark theme' } as const;
const icons = { auto: 'auto', light: 'sun', dark: 'moon' } as const;

export const ThemeButton = () => {
  const [theme, setTheme] = useState<Theme>('auto');
  // Pages written at build time know of no choice.
  useLayoutEffect(() => setTheme(storedTheme()), []);
  const label = `${names[theme]}. Switch to ${names[nextTheme[theme]].toLowerCase()}`;
  const onClick = (): void => {
    applyTheme(nextTheme[theme]);
    setTheme(nextTheme[theme]);
  };
  return (
    <button type="button" class="button quiet icon-only" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icons[theme]} />
    </button>
  );
};
