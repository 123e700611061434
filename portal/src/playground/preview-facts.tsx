/** How the preview was computed. */
import { duration } from '../format.ts';
import type { Preview } from './protocol.ts';

const providerNames = { webgpu: 'WebGPU', wasm: 'WebAssembly' } as const;

export const PreviewFacts = ({ preview, fellBack }: { preview: Preview; fellBack: string | undefined }) => (
  <>
    <dl class="facts" data-provider={preview.provider}>
      <dt>Computed by</dt>
      <dd>{providerNames[preview.provider]}, in this browser</dd>
      <dt>Model</dt>
      <dd class="mono">{preview.model}</dd>
      <dt>Time</dt>
      <dd>
        {duration(preview.totalMs)} <span class="muted">(model {duration(preview.inferMs)})</span>
      </dd>
    </dl>
    {fellBack && (
      <p class="small muted" title={fellBack}>
        WebGPU did not work here, so WebAssembly was used: slower, the same result.
      </p>
    )}
  </>
);
