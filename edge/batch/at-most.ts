/** Runs work of which only so much may run at once; the rest waits its turn, in order. */
export const atMost = (max: number) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= max) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // Whoever waits takes over the place.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};
