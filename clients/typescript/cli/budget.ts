/** --max-credits: a credit is set aside before an image is asked for, so that a run never spends more than it may. */
export type Budget = {
  /** False where the next image might go beyond the cap. */
  readonly take: () => boolean;
  /** The image cost nothing. */
  readonly giveBack: () => void;
  readonly spend: (credits: number) => void;
  readonly spent: () => number;
};

export const budgetOf = (creditsMax: number): Budget => {
  let [taken, spent] = [0, 0];
  return {
    take: () => taken < creditsMax && ++taken > 0,
    giveBack: () => void taken--,
    spend: (credits) => {
      spent += credits;
      if (credits === 0) taken--;
    },
    spent: () => spent,
  };
};
