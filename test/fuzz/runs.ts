/** Inputs that each fuzzer tries. `FUZZ_RUNS=100000 npx vitest run --project unit test/fuzz` looks longer. */
import fc from 'fast-check';

const runs = Number(process.env['FUZZ_RUNS'] ?? 500);
/** Making a failing input smaller may take longer than finding it. */
const within = { interruptAfterTimeLimit: 50_000, markInterruptAsFailure: true };

/** A failure prints its seed and the smallest input that still fails. */
export const holds = <T>(input: fc.Arbitrary<T>, law: (value: T) => void, share = 1): void =>
  fc.assert(fc.property(input, law), { numRuns: Math.ceil(runs * share), ...within });

export const holdsLater = <T>(input: fc.Arbitrary<T>, law: (value: T) => Promise<void>, share = 1): Promise<void> =>
  fc.assert(fc.asyncProperty(input, law), { numRuns: Math.ceil(runs * share), ...within });

/** Bytes of `samples`, some changed, cut out or doubled. */
export const damaged = (samples: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(
      fc.constantFrom(...samples),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom('set', 'cut', 'double', 'insert'), fc.uint8Array({ maxLength: 8 })), {
        maxLength: 6,
      }),
    )
    .map(([sample, changes]) => {
      let bytes = Buffer.from(sample);
      for (const [place, how, given] of changes) {
        const at = place % (bytes.length + 1);
        const end = Math.min(bytes.length, at + given.length);
        const between = { set: Buffer.from(given), cut: Buffer.alloc(0), double: bytes.subarray(at), insert: given }[
          how
        ];
        const after = how === 'insert' ? at : how === 'double' ? 0 : end;
        bytes = Buffer.concat([bytes.subarray(0, at), between, bytes.subarray(after)]).subarray(0, 100_000);
      }
      return new Uint8Array(bytes);
    });
