import type { ComponentChildren } from 'preact';
import type { Tone } from './notice.tsx';

export const Badge = ({ tone, children }: { tone?: Tone | undefined; children?: ComponentChildren }) => (
  <span class={`badge ${tone ?? ''}`}>{children}</span>
);
