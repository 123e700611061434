/** One column in the middle: signing in and the like. */
import type { ComponentChildren } from 'preact';
import { Brand } from '../components/brand.tsx';

export const NarrowLayout = ({ children }: { children?: ComponentChildren }) => (
  <main class="narrow" id="main" tabIndex={-1}>
    <div class="narrow-inner">
      <Brand />
      {children}
    </div>
  </main>
);
