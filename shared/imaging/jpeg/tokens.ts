/** Quantised blocks → the symbols and bits of a baseline scan, kept until their frequencies are known. */
import { zigzag } from './tables.ts';

/** Order of the tables: DC and AC of luma, DC and AC of chroma. */
export type TableIndex = 0 | 1 | 2 | 3;

export class Tokens {
  /**
   * One word a token: table << 24 | symbol << 16 | extra bits. The symbol's low four bits tell how many extra bits
   * follow.
   */
  words = new Uint32Array(1 << 18);
  count = 0;
  readonly frequencies = [
    new Uint32Array(256),
    new Uint32Array(256),
    new Uint32Array(256),
    new Uint32Array(256),
  ] as const;

  /** Appends one block of coefficients (row order, quantised). `before` is the DC of the component's last block. */
  block(coefficients: Int32Array, before: number, chroma: boolean): void {
    if (this.count + 130 > this.words.length) this.#grow();
    const dc = chroma ? 2 : 0;
    const ac = (dc + 1) as TableIndex;
    this.#value(dc, 0, coefficients[0]! - before);
    let run = 0;
    let last = 63;
    while (last > 0 && coefficients[zigzag[last]!] === 0) last--;
    for (let at = 1; at <= last; at++) {
      const value = coefficients[zigzag[at]!]!;
      if (value === 0) {
        run++;
        continue;
      }
      for (; run > 15; run -= 16) this.#put(ac, 0xf0, 0);
      this.#value(ac, run, value);
      run = 0;
    }
    if (last < 63) this.#put(ac, 0, 0);
  }

  /** A block like the one before it without any AC: flat colour. */
  flat(dcDifference: number, chroma: boolean): void {
    if (this.count + 130 > this.words.length) this.#grow();
    const dc = chroma ? 2 : 0;
    this.#value(dc, 0, dcDifference);
    this.#put((dc + 1) as TableIndex, 0, 0);
  }

  #value(table: TableIndex, run: number, value: number): void {
    const size = 32 - Math.clz32(value < 0 ? -value : value);
    this.#put(table, (run << 4) | size, (value < 0 ? value - 1 : value) & ((1 << size) - 1));
  }

  #put(table: TableIndex, symbol: number, extra: number): void {
    this.frequencies[table][symbol]!++;
    this.words[this.count++] = (table << 24) | (symbol << 16) | extra;
  }

  #grow(): void {
    const words = new Uint32Array(this.words.length * 2);
    words.set(this.words);
    this.words = words;
  }
}
