/**
 * What operators and their tools ask a node: is it alive, is it ready, how does it do. On a port of its own, which no
 * tunnel leads to: it tells model, database and load to whoever asks.
 */
import { Hono } from 'hono';

export type Readiness = { readonly ready: boolean; readonly [fact: string]: unknown };
export type ManagementDeps = {
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: () => Promise<{ contentType: string; text: string }>;
  readonly onFault: (place: string, error: unknown) => void;
};

export const createManagement = ({ readiness, metrics, onFault }: ManagementDeps): Hono => {
  const app = new Hono();
  app.get('/healthz', (c) => c.json({ status: 'alive' }));
  app.get('/readyz', async (c) => {
    const { ready, ...facts } = await readiness();
    return c.json({ status: ready ? 'ready' : 'not_ready', ...facts }, ready ? 200 : 503);
  });
  app.get('/metrics', async (c) => {
    const { contentType, text } = await metrics();
    return c.body(text, 200, { 'Content-Type': contentType });
  });
  app.onError((error, c) => {
    onFault('management', error);
    return c.text('internal error', 500);
  });
  return app;
};
