import type { ComponentChildren } from 'preact';

type Props = {
  title?: string;
  lead?: ComponentChildren;
  action?: ComponentChildren;
  /** The content reaches the edges: tables, empty states. */
  flush?: boolean;
  children?: ComponentChildren;
};

export const Card = ({ title, lead, action, children, flush = false }: Props) => (
  <section class="card">
    {title && (
      <div class="card-head">
        <div>
          <h2>{title}</h2>
          {lead && <p>{lead}</p>}
        </div>
        {action}
      </div>
    )}
    {flush ? children : <div class="card-body">{children}</div>}
  </section>
);
