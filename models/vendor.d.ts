/** The parts of cli-progress 3.12 that are used; the package carries no types. */
declare module 'cli-progress' {
  export const Presets: { readonly shades_classic: object };
  export class SingleBar {
    constructor(options: { format?: string; hideCursor?: boolean; stream?: NodeJS.WriteStream }, preset?: object);
    start(total: number, startValue: number, payload?: object): void;
    setTotal(total: number): void;
    update(value: number, payload?: object): void;
    stop(): void;
  }
}
