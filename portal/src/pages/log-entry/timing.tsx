/** Where the time of an image went, as its node measured it. */
import type { LogImage } from '../../../../shared/portal-api.ts';
import { duration } from '../../format.ts';

const names: Readonly<Record<string, string>> = {
  queue: 'Waiting for a place',
  fetch: 'Fetching the photo',
  decode: 'Decoding',
  matte: 'Matte',
  infer: 'of it the model',
  findings: 'Findings',
  refine: 'Refining the edge',
  decontaminate: 'Cleaning the edge',
  compose: 'Composing',
  encode: 'Encoding',
  inspect: 'Measuring',
  mark: 'Test mark',
  store: 'Storing the files',
};

export const Timing = ({ timing }: { timing: NonNullable<LogImage['timing']> }) => {
  const longest = Math.max(1, ...timing.stages.map(({ ms }) => ms));
  return (
    <details class="timing">
      <summary>Timing: {duration(timing.processing_ms)} at the node</summary>
      <dl>
        {timing.stages.map(({ name, ms }) => (
          <div key={name} class={name === 'infer' ? 'part' : ''}>
            <dt>{names[name] ?? name}</dt>
            <dd>
              <meter min={0} max={longest} value={ms} aria-hidden="true" />
              <span class="num">{duration(ms)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">Stages may run beside each other, so they need not add up.</p>
    </details>
  );
};
