/** What the build makes of pages. */

/** A page of the documentation by itself, or a public page as the whole content of the document's body. */
export type RenderedPage = { readonly path: string; readonly title: string; readonly html: string };

/** A part of a page, as the search finds it; a list of them is at `SEARCH_PATH`. */
export type SearchEntry = {
  /** Its place in the list. */
  readonly id: number;
  /** Path with fragment. */
  readonly href: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
};

export const SEARCH_PATH = '/docs-search.json';
