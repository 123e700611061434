/**
 * What the operator of an installation fills in. The built page has a mark, which the edge replaces; a page that is opened
 * within the portal asks the portal's configuration.
 */
import { useState } from 'preact/hooks';
import { type OperatorField, operatorMark, operatorText } from '../../../shared/operator.ts';
import { useSession } from '../session.tsx';

/** As the edge has sent it with the page; undefined where the page was opened without its file. */
const sentText = (field: OperatorField): string | undefined => {
  if (typeof document === 'undefined') return operatorMark(field);
  return document.querySelector(`[data-operator=${field}]`)?.textContent ?? undefined;
};

export const OperatorValue = ({ field }: { field: OperatorField }) => {
  const { config } = useSession();
  const [sent] = useState(() => sentText(field));
  return <strong data-operator={field}>{config ? operatorText(field, config.operator[field]) : sent}</strong>;
};
