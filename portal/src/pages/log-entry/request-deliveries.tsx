/** The webhook deliveries of a request's batch, where there were any. */
import { Card } from '../../components/card.tsx';
import { AttemptTable } from '../../webhooks/attempt-table.tsx';
import { useAttempts } from '../../webhooks/use-attempts.ts';

export const RequestDeliveries = ({ batchId }: { batchId: string }) => {
  const { rows, first } = useAttempts(`batch_id=${batchId}`);
  if (rows.length === 0) return null;
  return (
    <Card title="Webhook deliveries" flush>
      <AttemptTable rows={rows} onSent={first.reload} />
    </Card>
  );
};
