/** Light, dark, or as the system says. */
export type Theme = 'auto' | 'light' | 'dark';
const KEY = 'theme';

export const storedTheme = (): Theme => {
  const text = document.documentElement.dataset['theme'];
  return text === 'light' || text === 'dark' ? text : 'auto';
};
export const applyTheme = (theme: Theme): void => {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    if (theme === 'auto') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be forbidden; the theme then lasts until the next load.
  }
};
export const nextTheme: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };
