/** The webhook deliveries of a request's batch, where there were any. */

import type { WebhookAttemptPage } from '../../../../shared/portal-api.ts';
import { Card } from '../../components/card.tsx';
import { usePages } from '../../use-pages.ts';
import { AttemptTable } from '../../webhooks/attempt-table.tsx';

export const RequestDeliveries = ({ batchId }: { batchId: string }) => {
  const { rows, first } = usePages<WebhookAttemptPage>(`/webhook-attempts?batch_id=${batchId}`);
  if (rows.length === 0) return null;
  return (
    <Card title="Webhook deliveries" flush>
      <AttemptTable rows={rows} onSent={first.reload} />
    </Card>
  );
};
