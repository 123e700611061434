/** Kinds of frames between a node and its device process. */
export const FRAME = { ready: 1, run: 2, mattes: 3, failed: 4 } as const;
