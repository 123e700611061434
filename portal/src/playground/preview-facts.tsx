/** How the preview was computed. */
import { duration } from '../format.ts';
import type { PhotoFacts } from './protocol.ts';

const providerNames = { webgpu: 'WebGPU', wasm: 'WebAssembly' } as const;

export const PreviewFacts = ({ facts, fellBack }: { facts: PhotoFacts; fellBack: string | undefined }) => (
  <>
    <dl class="facts" data-provider={facts.provider}>
      <dt>Computed by</dt>
      <dd>{providerNames[facts.provider]}, in this browser</dd>
      <dt>Model</dt>
      <dd class="mono">{facts.model}</dd>
      <dt>Time</dt>
      <dd>
        {duration(facts.totalMs)} <span class="muted">(model {duration(facts.inferMs)})</span>
      </dd>
    </dl>
    {fellBack && (
      <p class="small muted" title={fellBack}>
        WebGPU did not work here, so WebAssembly was used: slower, the same result.
      </p>
    )}
  </>
);
