/** Why there is no preview, in a sentence; what the runtime said is folded away. */
import { Notice } from '../components/notice.tsx';
import type { PreviewState } from './use-preview.ts';

export const PreviewFailed = ({ state }: { state: Extract<PreviewState, { kind: 'failed' }> }) => (
  <Notice tone="bad">
    {state.detail} {state.code === 'preview_failed' && 'The API may still take the photo.'}
    {state.why && (
      <details class="small">
        <summary>Technical details</summary>
        {state.why}
      </details>
    )}
  </Notice>
);
