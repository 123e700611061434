/** A call in one language, for CodeTabs. */
export type Language = 'sh' | 'ts' | 'py' | 'json' | 'http';
export type Sample = { readonly name: string; readonly language: Language; readonly source: string };
