/** All chosen marketplaces beside each other, each with its own report; one of them is shown large. */

import type { Compliance } from '../../../shared/api.ts';
import type { MarketplaceName } from '../../../shared/marketplaces/index.ts';
import { Icon } from '../components/icon.tsx';
import { fillOf, type Plan } from '../components/plan.ts';
import { marketplaceLabels } from '../marketplace-labels.ts';
import { BitmapView } from './compare.tsx';

export type Tile = {
  readonly marketplace: MarketplaceName;
  /** A URL once the API has made the file. Undefined while it is being made. */
  readonly picture: ImageBitmap | string | undefined;
  readonly compliance: Compliance | undefined;
  readonly plan: Plan | undefined;
};

const unmetOf = ({ checks }: Compliance): number =>
  checks.filter(({ severity, passed }) => severity === 'required' && !passed).length;

const Report = ({ compliance }: { compliance: Compliance }) => {
  const unmet = unmetOf(compliance);
  const { checks } = compliance;
  return (
    <span class={`strip-report small ${unmet > 0 ? 'bad-text' : 'muted'}`}>
      <Icon name={unmet > 0 ? 'warn' : 'check'} size={13} />
      {checks.filter(({ passed }) => passed).length} of {checks.length} checks
    </span>
  );
};

type Props = {
  tiles: readonly Tile[];
  shown: MarketplaceName;
  onShow: (marketplace: MarketplaceName) => void;
};

export const Strip = ({ tiles, shown, onShow }: Props) => (
  <ul class="strip" aria-label="Chosen marketplaces">
    {tiles.map(({ marketplace, picture, compliance, plan }) => (
      <li key={marketplace}>
        <button
          type="button"
          class="strip-tile"
          aria-pressed={marketplace === shown}
          data-marketplace={marketplace}
          onClick={() => onShow(marketplace)}
        >
          <span class="strip-picture">
            {typeof picture === 'string' ? (
              <img src={picture} alt="" loading="lazy" />
            ) : (
              picture && <BitmapView bitmap={picture} label={`Preview for ${marketplaceLabels[marketplace]}`} />
            )}
          </span>
          <strong>{marketplaceLabels[marketplace]}</strong>
          {plan && (
            <span class="small muted num">
              {plan.canvas.width} × {plan.canvas.height}, {Math.round(100 * fillOf(plan))} %
            </span>
          )}
          {compliance && <Report compliance={compliance} />}
        </button>
      </li>
    ))}
  </ul>
);
