/** What the API made, as the page draws it. */
import type { Output } from '../../../shared/api.ts';
import { canvasSize, type MarketplaceName } from '../../../shared/marketplaces/index.ts';
import { type Plan, planOfFile } from '../components/plan.ts';
import type { Registered } from '../components/registration.ts';
import { type Choice, chosenOf, resolved } from './options.ts';
import { ownPath } from './run.ts';
import type { Ran } from './seen.ts';

export type MadeFile = {
  readonly marketplace: MarketplaceName;
  readonly url: string;
  readonly plan: Plan;
  readonly compliance: Output['compliance'];
  readonly registered: Registered | undefined;
};

type File = Pick<Output, 'product_box' | 'compliance'> & { readonly url: string };

/** The canvas as it was asked for: a test key's file is smaller, and measured before it is reduced. */
const madeFile = (
  choice: Choice,
  marketplace: MarketplaceName,
  { product_box, compliance, url }: File,
  registered: Registered | undefined,
): MadeFile => {
  const options = resolved(choice, marketplace);
  const isTransparent = options.background === 'transparent';
  const plan = planOfFile(canvasSize(options.canvas), product_box, compliance, isTransparent);
  return { marketplace, url, plan, compliance, registered };
};

/** One file for each marketplace, in the order chosen. */
export const madeFiles = (
  choice: Choice,
  { outcome: { result }, registered }: Pick<Ran, 'outcome' | 'registered'>,
): readonly MadeFile[] => {
  const [first, ...further] = chosenOf(choice);
  const { outputs = [] } = result;
  return [
    madeFile(choice, first, { ...result, url: ownPath(result.clean_url) }, registered),
    ...further.flatMap((marketplace) => {
      const output = outputs.find((one) => one.marketplace === marketplace);
      return output?.output_url
        ? madeFile(choice, marketplace, { ...output, url: ownPath(output.output_url) }, registered)
        : [];
    }),
  ];
};
