import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'info';
const icons: Record<Tone, IconName> = { good: 'check', warn: 'warn', bad: 'warn', info: 'info' };

export const Notice = ({ tone = 'info', children }: { tone?: Tone; children?: ComponentChildren }) => (
  <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    <Icon name={icons[tone]} />
    <div>{children}</div>
  </div>
);
