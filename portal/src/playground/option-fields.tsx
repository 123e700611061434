import type { ComponentChildren } from 'preact';
import { limits } from '../../../shared/limits.ts';
import { type MarketplaceName, marketplaceNames } from '../../../shared/marketplaces/index.ts';
import { marketplaceLabels } from '../marketplace-labels.ts';
import type { Detail } from './detail.ts';
import {
  BackgroundField,
  type ChoiceProps,
  FileFields,
  FillField,
  MarketplaceField,
  ShadowField,
} from './look-fields.tsx';
import type { Choice } from './options.ts';
import type { Wanted } from './protocol.ts';
import { Select } from './select.tsx';

/** Where and how thoroughly the preview is computed. */
export type Computing = { readonly wanted: Wanted; readonly detail: Detail };

const withMarketplace = (choice: Choice, marketplace: MarketplaceName): Choice => ({
  ...choice,
  marketplace,
  further: choice.further.filter((name) => name !== marketplace),
});

/** In the order of the list, so that the same boxes give the same call. */
const toggled = ({ further }: Choice, name: MarketplaceName): readonly MarketplaceName[] =>
  marketplaceNames.filter((one) => (one === name ? !further.includes(one) : further.includes(one)));

const FurtherMarketplaces = ({ choice, onChoice }: ChoiceProps) => {
  const { further, marketplace } = choice;
  const isFull = further.length + 1 >= limits.marketplaces.perImageMax;
  return (
    <details class="further">
      <summary>More marketplaces{further.length > 0 && `: ${further.length}`}</summary>
      <fieldset>
        <legend class="hint">One file for each, for the same credit.</legend>
        {marketplaceNames
          .filter((name) => name !== marketplace)
          .map((name) => (
            <label key={name} class="checkbox">
              <input
                type="checkbox"
                name="marketplaces"
                value={name}
                checked={further.includes(name)}
                disabled={isFull && !further.includes(name)}
                onChange={() => onChoice({ ...choice, further: toggled(choice, name) })}
              />
              {marketplaceLabels[name]}
            </label>
          ))}
      </fieldset>
    </details>
  );
};

/** What the API offers too. */
export const ApiOptions = ({ choice, onChoice }: ChoiceProps) => (
  <>
    <MarketplaceField
      value={choice.marketplace}
      onValue={(marketplace) => onChoice(withMarketplace(choice, marketplace))}
    />
    <FurtherMarketplaces choice={choice} onChoice={onChoice} />
    <BackgroundField {...{ choice, onChoice }} />
    <ShadowField {...{ choice, onChoice }} />
    <details class="further">
      <summary>Fill, canvas, format</summary>
      <div class="stack tight">
        <FillField {...{ choice, onChoice }} />
        <FileFields {...{ choice, onChoice }} />
      </div>
    </details>
  </>
);

type ComputingProps = { computing: Computing; onComputing: (computing: Computing) => void };

/** What the preview alone has. */
const PreviewOptions = ({ computing, onComputing }: ComputingProps) => (
  <details class="further">
    <summary>Preview settings</summary>
    <Select
      label="Preview computed by"
      name="provider"
      value={computing.wanted}
      onValue={(value) => onComputing({ ...computing, wanted: value as Wanted })}
    >
      <option value="auto">Automatic</option>
      <option value="webgpu">WebGPU</option>
      <option value="wasm">WebAssembly</option>
    </Select>
  </details>
);

export const OptionFields = ({
  children,
  ...props
}: ChoiceProps & ComputingProps & { children?: ComponentChildren }) => (
  <>
    <ApiOptions {...props} />
    {children}
    <PreviewOptions {...props} />
  </>
);
