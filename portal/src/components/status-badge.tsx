import { Badge } from './badge.tsx';

/** An HTTP status. */
export const StatusBadge = ({ status }: { status: number }) => (
  <Badge tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</Badge>
);
