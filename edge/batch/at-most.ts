/** Runs work of which only so much may run at once; the rest waits its turn, in order. `max` is asked anew each time. */
export const atMost = (max: () => number) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  const startWaiting = (): void => {
    while (waiting.length > 0 && running < max()) {
      running++;
      waiting.shift()?.();
    }
  };
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const turn = new Promise<void>((resolve) => void waiting.push(resolve));
    startWaiting();
    await turn;
    try {
      return await work();
    } finally {
      running--;
      startWaiting();
    }
  };
};
