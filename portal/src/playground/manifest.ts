/** `/runtime/manifest.json`: files that are served in parts, because one static asset may not be larger than 25 MiB. */
export type PartedFile = {
  readonly name: string;
  readonly bytes: number;
  /** Of the whole file, lower-case hex. */
  readonly sha256: string;
  /** Parts are gzip files. */
  readonly gzip: boolean;
  readonly parts: readonly { readonly path: string; readonly bytes: number }[];
};
export type Manifest = { readonly version: string; readonly files: Readonly<Record<string, PartedFile>> };
