import { useEffect, useState } from 'preact/hooks';
import type { WebhookAttemptPage, WebhookAttemptRow } from '../../../shared/portal-api.ts';
import { get } from '../api.ts';
import { useQuery } from '../use-query.ts';

/** Attempts that `query` asks for: the first page, and further ones on demand. */
export const useAttempts = (query: string) => {
  const first = useQuery<WebhookAttemptPage>(`/webhook-attempts?${query}`);
  const [older, setOlder] = useState<readonly WebhookAttemptRow[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  useEffect(() => {
    setOlder([]);
    setCursor(first.value?.next_cursor ?? null);
  }, [first.value]);
  const more = async (): Promise<void> => {
    const answer = await get<WebhookAttemptPage>(`/webhook-attempts?${query}&cursor=${cursor ?? ''}`);
    if (!answer.ok) return;
    setOlder((before) => [...before, ...answer.value.rows]);
    setCursor(answer.value.next_cursor);
  };
  return { rows: [...(first.value?.rows ?? []), ...older], first, cursor, more };
};
