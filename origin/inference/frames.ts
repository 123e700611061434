/**
 * Kinds of frames between a node and its device process. `run` asks for mattes and `readText` for maps of text, which come
 * back as `mattes` too: both are one byte a pixel.
 */
export const FRAME = { ready: 1, run: 2, mattes: 3, failed: 4, readText: 5 } as const;
