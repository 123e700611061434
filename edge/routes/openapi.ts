/** `GET /api/v1/openapi.json`: made once per isolate from the schemas that check requests and answers. */
import type { Hono } from 'hono';
import { paths } from '../../shared/paths.ts';
import type { HttpEnv } from '../http/call.ts';
import { openapiDocument } from '../http/openapi.ts';

export const openapiRoutes = (app: Hono<HttpEnv>, publicBaseUrl: string): void => {
  let document: ReturnType<typeof openapiDocument> | undefined;
  app.get(paths.openapi, (c) => {
    document ??= openapiDocument(publicBaseUrl);
    return c.json(document);
  });
};
