/** The parts of an OpenAPI document that the reference shows. */
import type { Schema } from 'virtual:schemas';
import { paths as apiPaths } from '../../../shared/paths.ts';

export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
};
export type MediaType = {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
};
export type Media = Record<string, MediaType>;
type Operation = {
  summary?: string;
  description?: string;
  'x-scope'?: string;
  /** Empty: no key is needed. */
  security?: readonly unknown[];
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

let known: OpenApi | undefined;
/** For the build, which has the document without asking a server. */
export const knowOpenApi = (document: OpenApi): void => {
  known = document;
};

/** The document that the API serves. Throws where it cannot be had. */
export const loadOpenApi = async (): Promise<OpenApi> => {
  if (known) return known;
  const response = await fetch(apiPaths.openapi);
  if (!response.ok) throw new Error(`${apiPaths.openapi}: ${response.status}`);
  return response.json();
};
