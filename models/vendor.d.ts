/** The part of cli-progress 3.12 that is used; the package carries no types. */
declare module 'cli-progress' {
  export class SingleBar {
    constructor(options: { format?: string; hideCursor?: boolean });
    start(total: number, startValue: number, payload?: object): void;
    update(value: number): void;
    stop(): void;
  }
}
