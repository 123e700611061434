/** Where an input is written: what `edge/stores` fills for uploads and the input fetcher. Types only. */

/**
 * `open` is used only for what is larger than one block; nothing may be visible before `complete`. The bytes are the
 * sink's until its promise resolves.
 */
export type InputSink = {
  /** The nodes have a decoder for it. */
  readonly takesHeic: boolean;
  put(body: Uint8Array, contentType: string): Promise<void>;
  open(contentType: string): Promise<BlockWriter>;
};
/** Takes blocks of `edgeLimits.spool.blockBytes`, the last one shorter. */
export type BlockWriter = {
  write(block: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  abort(): Promise<void>;
};

export type StoredInput = { readonly bytes: number; readonly contentType: string };
