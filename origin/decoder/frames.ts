/**
 * Kinds of frames between a node and its decoder. `photo` says the picture's width and height, carries its pixels (rgb,
 * 3 bytes each) and, where `count` is 1, its alpha (1 byte each) behind them. `size` says width and height alone.
 * `failed` carries the failure as JSON. `decodeMatte` says the size of the matte's photo; `matte` carries 1 byte a pixel.
 */
export const FRAME = { measure: 1, decode: 2, size: 3, photo: 4, failed: 5, decodeMatte: 6, matte: 7 } as const;
