/** How the file looks: marketplace, background, shadow, fill, canvas and format. */
import { limits } from '../../../shared/limits.ts';
import {
  type MarketplaceName,
  marketplaceNames,
  marketplaces,
  type OutputFormat,
} from '../../../shared/marketplaces/index.ts';
import { outputFormats } from '../../../shared/marketplaces/rule.ts';
import { marketplaceLabels } from '../marketplace-labels.ts';
import type { Choice } from './options.ts';
import { Select } from './select.tsx';

export type ChoiceProps = { choice: Choice; onChoice: (choice: Choice) => void };

type MarketplaceProps = { value: MarketplaceName; onValue: (name: MarketplaceName) => void };

export const MarketplaceField = ({ value, onValue }: MarketplaceProps) => (
  <Select label="Marketplace" name="marketplace" value={value} onValue={(chosen) => onValue(chosen as MarketplaceName)}>
    {marketplaceNames.map((name) => (
      <option key={name} value={name}>
        {marketplaceLabels[name]}
      </option>
    ))}
  </Select>
);

export const ShadowField = ({ choice, onChoice }: ChoiceProps) => (
  <label class="checkbox">
    <input
      type="checkbox"
      name="shadow"
      disabled={choice.background === 'transparent'}
      checked={choice.shadow === 'soft'}
      onChange={(e) => onChoice({ ...choice, shadow: e.currentTarget.checked ? 'soft' : 'none' })}
    />
    Soft shadow
  </label>
);

/** The first colour of one's own: a light grey, as many shops have it. */
const OWN_COLOUR = '#f2f2f0';

export const BackgroundField = ({ choice, onChoice }: ChoiceProps) => {
  const { background } = choice;
  const setBackground = (value: string): void =>
    onChoice({ ...choice, background: value, shadow: value === 'transparent' ? 'none' : choice.shadow });
  const isOwn = background.startsWith('#');
  return (
    <div class={isOwn ? 'with-colour' : ''}>
      <Select
        label="Background"
        name="background"
        value={isOwn ? OWN_COLOUR : background}
        onValue={(value) => setBackground(value)}
      >
        <option value="white">White</option>
        <option value="transparent">Transparent (PNG)</option>
        <option value={OWN_COLOUR}>A colour</option>
      </Select>
      {isOwn && (
        <input
          class="colour"
          type="color"
          aria-label="Colour of the background"
          value={background}
          onInput={(e) => setBackground(e.currentTarget.value)}
        />
      )}
    </div>
  );
};

/** The same for all marketplaces chosen, or each by its own rules. */
export const FillField = ({ choice, onChoice }: ChoiceProps) => {
  const fill = choice.fill ?? marketplaces[choice.marketplace].fill;
  return (
    <div class="field">
      <div class="row between">
        <label class="label" for="fill">
          Fill
        </label>
        <span class="small num">
          {choice.fill === undefined ? (
            <span class="muted">Default</span>
          ) : (
            <button type="button" class="link-button" onClick={() => onChoice({ ...choice, fill: undefined })}>
              Reset
            </button>
          )}{' '}
          {Math.round(fill * 100)} %
        </span>
      </div>
      <input
        id="fill"
        class="range"
        type="range"
        name="fill"
        min={limits.fill.min * 100}
        max={limits.fill.max * 100}
        step="1"
        value={Math.round(fill * 100)}
        onInput={(e) => onChoice({ ...choice, fill: Number(e.currentTarget.value) / 100 })}
      />
    </div>
  );
};

const formatNames: Readonly<Record<OutputFormat, string>> = { jpg: 'JPEG', png: 'PNG', webp: 'WebP' };

const CANVASES = [1_000, 1_600, 2_000, 3_000] as const;

export const FileFields = ({ choice, onChoice }: ChoiceProps) => {
  const transparent = choice.background === 'transparent';
  return (
    <div class="pair">
      <Select
        label="Canvas"
        name="canvas"
        value={choice.canvas === undefined ? '' : String(choice.canvas)}
        onValue={(value) => onChoice({ ...choice, canvas: value === '' ? undefined : Number(value) })}
      >
        <option value="">Default</option>
        {CANVASES.map((side) => (
          <option key={side} value={side}>
            {side} × {side}
          </option>
        ))}
      </Select>
      <Select
        label="Format"
        name="format"
        value={choice.format ?? ''}
        onValue={(value) => onChoice({ ...choice, format: value === '' ? undefined : (value as OutputFormat) })}
      >
        <option value="">Default</option>
        {outputFormats.map((name) => (
          <option key={name} value={name} disabled={transparent && name === 'jpg'}>
            {formatNames[name]}
          </option>
        ))}
      </Select>
    </div>
  );
};
