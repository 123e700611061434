/** How a run ended, for scripts. README.md lists them. */
export const exitCodes = {
  ok: 0,
  someFailed: 1,
  usage: 2,
  key: 3,
  credits: 4,
  /** --max-credits was reached before everything was done. */
  capped: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What the caller got wrong: told without a stack, exit code 2. */
export class UsageError extends Error {}
