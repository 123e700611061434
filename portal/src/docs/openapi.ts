/** The parts of an OpenAPI document that the reference shows. */
import type { Schema } from 'virtual:schemas';

export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema };
export type Media = Record<string, { schema?: Schema }>;
type Operation = {
  summary?: string;
  description?: string;
  'x-scope'?: string;
  parameters?: readonly Parameter[];
  requestBody?: { content: Media; description?: string };
  responses: Record<
    string,
    { description?: string; content?: Media; headers?: Record<string, { description?: string }> }
  >;
};
export type OpenApi = {
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};

/** In the order shown. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'];
export type Endpoint = { readonly method: string; readonly path: string; readonly operation: Operation };

export const endpointsOf = ({ paths }: OpenApi): Endpoint[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, operation: item[method]! })),
  );
