declare module 'virtual:changelog' {
  /** CHANGELOG.md, read at build time. */
  export const releases: readonly import('./parse.ts').Release[];
}
