declare module 'virtual:schemas' {
  type Schema = {
    readonly type?: string | readonly string[];
    readonly description?: string;
    readonly properties?: Record<string, Schema>;
    readonly required?: readonly string[];
    readonly items?: Schema;
    readonly enum?: readonly (string | number)[];
    readonly const?: unknown;
    readonly anyOf?: readonly Schema[];
    readonly oneOf?: readonly Schema[];
    readonly minimum?: number;
    readonly maximum?: number;
    readonly pattern?: string;
    readonly format?: string;
    readonly $ref?: string;
  };

  export type { Schema };
  /** JSON Schema of each, made at build time from the zod schemas that validate requests. */
  export const options: Schema;
  export const uploadResponse: Schema;
  export const uploadResult: Schema;
  export const uploadFailedResult: Schema;
  export const batchRequest: Schema;
  export const batchCreated: Schema;
  export const batchStatus: Schema;
  export const completedImage: Schema;
  export const compliance: Schema;
  export const review: Schema;
  export const check: Schema;
  export const finding: Schema;
  export const problem: Schema;
  export const account: Schema;
}
