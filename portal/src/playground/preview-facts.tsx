/** How the preview was computed, and which rules it meets. */
import { ComplianceList } from '../components/compliance-list.tsx';
import { Notice } from '../components/notice.tsx';
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
    {fellBack && <Notice tone="warn">WebGPU failed, so WebAssembly was used instead. {fellBack}</Notice>}
    <ComplianceList compliance={preview.compliance} />
  </>
);
