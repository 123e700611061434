/** Why a model file cannot be provided. The message is for the operator and says what to do. */
export type ModelErrorCode =
  | 'unknown_model'
  | 'not_found'
  | 'wrong_hash'
  | 'registry_unknown'
  | 'download_failed'
  | 'archive_malformed'
  | 'locked';

export class ModelError extends Error {
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelError';
    this.code = code;
  }
}
