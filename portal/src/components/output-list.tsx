import type { Output } from '../../../shared/api.ts';
import { megabytes } from '../format.ts';
import { marketplaceLabels } from '../marketplace-labels.ts';
import { ComplianceList } from './compliance-list.tsx';
import { Icon } from './icon.tsx';

/** Links carry the public address; the portal fetches them from its own origin. */
const ownPath = (url: string): string => new URL(url).pathname;

const OutputEntry = ({ output }: { output: Output }) => {
  const { marketplace, output_url, filename, width, height, bytes, format, compliance } = output;
  const label = marketplaceLabels[marketplace];
  return (
    <li class="output">
      <div class="output-frame">
        {output_url ? (
          <img src={ownPath(output_url)} alt={`The file for ${label}`} loading="lazy" />
        ) : (
          <Icon name="image" size={24} />
        )}
      </div>
      <div class="output-facts">
        <div class="row between">
          <strong>{label}</strong>
          {output_url && (
            <a class="button compact" href={ownPath(output_url)} download={filename}>
              <Icon name="download" size={14} />
              <span class="visually-hidden">Download the file for {label}: </span>
              {format}
            </a>
          )}
        </div>
        <p class="small muted nowrap">
          {width} × {height} px, {megabytes(bytes)}
        </p>
        <ComplianceList compliance={compliance} />
      </div>
    </li>
  );
};

/** The files of an image that was made for several marketplaces, each with its own report. */
export const OutputList = ({ outputs }: { outputs: readonly Output[] }) => (
  <ul class="outputs" aria-label="One file for each marketplace">
    {outputs.map((output) => (
      <OutputEntry key={output.marketplace} output={output} />
    ))}
  </ul>
);
