/** Named steps of a test that is a program: each says how it went, all of them run, the exit code counts the failed. */
export type Steps = {
  readonly step: (name: string, work: () => Promise<unknown>) => Promise<void>;
  readonly skip: (name: string, why: string) => void;
  readonly end: (allWell: string) => void;
};

/** A text that a step resolves with is printed below its name. */
export const newSteps = (): Steps => {
  const faults: string[] = [];
  const skipped: string[] = [];
  const step: Steps['step'] = async (name, work) => {
    const startedMs = performance.now();
    const seconds = (): string => `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
    try {
      const found = await work();
      console.log(`ok      ${name} (${seconds()})${typeof found === 'string' ? `\n        ${found}` : ''}`);
    } catch (error) {
      faults.push(name);
      console.log(`FAILED  ${name} (${seconds()})\n${error instanceof Error ? error.stack : String(error)}`);
    }
  };
  return {
    step,
    skip: (name, why) => {
      skipped.push(name);
      console.log(`skipped ${name}: ${why}`);
    },
    end: (allWell) => {
      const left = skipped.length === 0 ? allWell : `Nothing failed of what ran; skipped: ${skipped.join('; ')}.`;
      console.log(faults.length === 0 ? left : `${faults.length} failed: ${faults.join('; ')}`);
      process.exitCode = faults.length === 0 ? 0 : 1;
    },
  };
};
