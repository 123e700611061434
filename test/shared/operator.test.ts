/** What an installation says of its operator stands in the page as it was set, whatever characters it holds. */
import { describe, expect, it } from 'vitest';
import { type Operator, operatorMark, withOperator } from '../../shared/operator.ts';

const nobody: Operator = {
  name: null,
  address: null,
  contact: null,
  jurisdiction: null,
  effective: null,
  processors: null,
};

describe('the operator of an installation', () => {
  it('is written into a page as it was set, with characters that a replacement or HTML would read', () => {
    const page = `<b>${operatorMark('name')}</b>, <i>${operatorMark('name')}</i>`;
    const name = "A$& $' $` $$ $1 <Ltd> & Co";
    const text = "A$&amp; $' $` $$ $1 &lt;Ltd&gt; &amp; Co";
    expect(withOperator(page, { ...nobody, name })).toBe(`<b>${text}</b>, <i>${text}</i>`);
  });

  it('is not read again for marks of other values', () => {
    const page = `${operatorMark('name')} ${operatorMark('address')}`;
    const operator = { ...nobody, name: operatorMark('address'), address: 'Street 1' };
    expect(withOperator(page, operator)).toBe(`${operatorMark('address')} Street 1`);
  });
});
