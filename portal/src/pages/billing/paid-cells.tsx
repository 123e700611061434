import { count, dateText } from '../../format.ts';

type Paid = { readonly at: string; readonly credits: number; readonly amount: string };

/** When something was bought, how much of it, for how much; the columns are `paidColumns`. */
export const PaidCells = ({ at, credits, amount }: Paid) => (
  <>
    <td data-label="Date" class="nowrap muted">
      {dateText(at)}
    </td>
    <td data-label="Credits" class="right">
      {count(credits)}
    </td>
    <td data-label="Amount" class="right">
      {amount}
    </td>
  </>
);
export const paidColumns = ['Date', { right: 'Credits' }, { right: 'Amount' }] as const;
