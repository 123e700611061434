/** `GET /api/v1/openapi.json`: made once per isolate from the schemas that check requests and answers. */
import type { Hono } from 'hono';
import type { HttpEnv } from '../http/call.ts';
import { openapiDocument } from '../http/openapi.ts';

export const OPENAPI = '/api/v1/openapi.json';

export const openapiRoutes = (app: Hono<HttpEnv>, publicBaseUrl: string): void => {
  let document: ReturnType<typeof openapiDocument> | undefined;
  app.get(OPENAPI, (c) => {
    document ??= openapiDocument(publicBaseUrl);
    return c.json(document);
  });
};
