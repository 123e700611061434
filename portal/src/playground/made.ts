/** What the API made, as the page draws it. */
import type { Output } from '../../../shared/api.ts';
import { canvasSize, type MarketplaceName } from '../../../shared/marketplaces/index.ts';
import { type Plan, planOfFile } from '../components/plan.ts';
import { type Choice, chosenOf, resolved } from './options.ts';
import { ownPath, type RunOutcome } from './run.ts';

export type MadeFile = {
  readonly marketplace: MarketplaceName;
  readonly url: string;
  readonly plan: Plan;
  readonly compliance: Output['compliance'];
};

type File = Pick<Output, 'product_box' | 'compliance'> & { readonly url: string };

/** The canvas as it was asked for: a test key's file is smaller, and measured before it is reduced. */
const madeFile = (choice: Choice, marketplace: MarketplaceName, { product_box, compliance, url }: File): MadeFile => {
  const options = resolved(choice, marketplace);
  const isTransparent = options.background === 'transparent';
  const plan = planOfFile(canvasSize(options.canvas), product_box, compliance, isTransparent);
  return { marketplace, url, plan, compliance };
};

/** One file for each marketplace, in the order chosen. */
export const madeFiles = (choice: Choice, { result }: Extract<RunOutcome, { ok: true }>): readonly MadeFile[] => {
  const [first, ...further] = chosenOf(choice);
  const { outputs = [] } = result;
  return [
    madeFile(choice, first, { ...result, url: ownPath(result.clean_url) }),
    ...further.flatMap((marketplace) => {
      const output = outputs.find((one) => one.marketplace === marketplace);
      return output?.output_url ? madeFile(choice, marketplace, { ...output, url: ownPath(output.output_url) }) : [];
    }),
  ];
};
