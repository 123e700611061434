/** Which pack is bought. */
import { PACKS } from '../../../../shared/credits.ts';
import { count, dollars } from '../../format.ts';

type PackChoiceProps = { readonly chosen: number; readonly choose: (credits: number) => void };

/** Largest first: the one that is chosen from the start. */
export const PackChoice = ({ chosen, choose }: PackChoiceProps) => (
  <fieldset class="choices pack-choices">
    <legend class="visually-hidden">Pack</legend>
    {PACKS.toReversed().map(({ credits }) => (
      <label key={credits} class="choice">
        <input type="radio" name="pack" checked={credits === chosen} onChange={() => choose(credits)} />
        <span>
          <strong class="num">{count(credits)} credits</strong>
          <span class="hint num">{dollars(credits)}</span>
        </span>
      </label>
    ))}
  </fieldset>
);
