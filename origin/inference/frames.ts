/**
 * Kinds of frames between a node and its device process. `run` asks for mattes, `readText` for maps of text and `findFaces`
 * for faces; all come back as `mattes`.
 */
export const FRAME = { ready: 1, run: 2, mattes: 3, failed: 4, readText: 5, findFaces: 6 } as const;
