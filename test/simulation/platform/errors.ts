/** Errors as callers of a Durable Object see them: made by the platform, or thrown by the object and carried over. */

const infrastructure = (message: string, fields: Readonly<Record<string, boolean>>): Error =>
  Object.assign(new Error(message), fields);

export const connectionLost = (): Error => infrastructure('Network connection lost.', { retryable: true });
export const objectReset = (): Error =>
  infrastructure('Durable Object reset because its code was updated.', { retryable: true, durableObjectReset: true });
export const overloaded = (): Error =>
  infrastructure('Durable Object is overloaded. Too many requests queued.', { overloaded: true });

const BUILT_IN = { TypeError, RangeError, SyntaxError, ReferenceError } as const;

/** Name (of built-in kinds) and message survive the call; the error's own fields and its class do not. */
export const asRemote = (error: unknown): Error => {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  const Kind = BUILT_IN[name as keyof typeof BUILT_IN] ?? Error;
  return Object.assign(new Kind(message), { remote: true });
};

export const isInfrastructure = (error: unknown): boolean =>
  error instanceof Error && !('remote' in error) && ('retryable' in error || 'overloaded' in error);
