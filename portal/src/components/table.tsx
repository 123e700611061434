/** A table with its head. */
import type { ComponentChildren } from 'preact';

/** `right`: of figures. `hidden`: only for who does not see it. False: not there. */
type Column = string | { readonly right: string } | { readonly hidden: string } | false;

const Head = ({ column }: { column: Exclude<Column, false> }) => {
  if (typeof column === 'string') return <th>{column}</th>;
  if ('right' in column) return <th class="right">{column.right}</th>;
  return (
    <th>
      <span class="visually-hidden">{column.hidden}</span>
    </th>
  );
};

type Props = {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly class?: string;
  readonly children: ComponentChildren;
};

/** Its rows are the children. */
export const Table = ({ caption, columns, class: extra, children }: Props) => (
  <table {...(extra !== undefined && { class: extra })}>
    <caption class="visually-hidden">{caption}</caption>
    <thead>
      <tr>{columns.map((column, i) => column !== false && <Head key={i} column={column} />)}</tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);
