/** Search through the documentation, in the browser. Index and library are fetched when the field is first used. */
import type MiniSearch from 'minisearch';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { SEARCH_PATH, type SearchEntry } from './built.ts';

const SHOWN_MAX = 8;
const SNIPPET_CHARS = 90;

type Index = { readonly search: MiniSearch<SearchEntry>; readonly entries: readonly SearchEntry[] };

const load = async (): Promise<Index> => {
  const [{ default: Search }, response] = await Promise.all([import('minisearch'), fetch(SEARCH_PATH)]);
  const entries = (await response.json()) as SearchEntry[];
  const search = new Search<SearchEntry>({
    fields: ['title', 'page', 'text'],
    // A code such as rate_limited is found by its parts too.
    tokenize: (text) => text.match(/[\p{L}\p{N}]+/gu) ?? [],
    searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
  });
  search.addAll(entries);
  return { search, entries };
};

let loading: Promise<Index> | undefined;
const index = (): Promise<Index> => {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
};

const snippetOf = ({ text }: SearchEntry, term: string): string => {
  const at = Math.max(0, text.toLowerCase().indexOf(term.toLowerCase()) - SNIPPET_CHARS / 3);
  const from = at === 0 ? 0 : text.indexOf(' ', at) + 1;
  const part = text.slice(from, from + SNIPPET_CHARS);
  return `${from > 0 ? '… ' : ''}${part}${from + SNIPPET_CHARS < text.length ? ' …' : ''}`;
};

type Found = { readonly entry: SearchEntry; readonly snippet: string };

const find = async (text: string): Promise<Found[]> => {
  const { search, entries } = await index();
  return search.search(text).flatMap(({ id, terms }) => {
    const entry = entries[id as number];
    return entry ? [{ entry, snippet: snippetOf(entry, terms[0] ?? '') }] : [];
  });
};

export const DocSearch = () => {
  const id = useId();
  const { route } = useLocation();
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Found[] | 'failed'>([]);
  const field = useRef<HTMLInputElement>(null);
  const asked = useRef('');
  const look = (value: string): void => {
    setText(value);
    asked.current = value;
    const settle = (answer: readonly Found[] | 'failed'): void => {
      if (asked.current === value) setFound(answer);
    };
    if (value.trim() === '') settle([]);
    else void find(value).then(settle, () => settle('failed'));
  };
  // Written before the code of the page had come.
  useEffect(() => look(field.current?.value ?? ''), []);
  const shown = found === 'failed' ? [] : found.slice(0, SHOWN_MAX);
  const openFirst = (event: Event): void => {
    event.preventDefault();
    const [first] = shown;
    if (!first) return;
    look('');
    route(first.entry.href);
  };
  return (
    <search class="doc-search">
      <form onSubmit={openFirst}>
        <label class="visually-hidden" for={id}>
          Search the documentation
        </label>
        <input
          id={id}
          ref={field}
          type="search"
          class="input"
          placeholder="Search"
          autocomplete="off"
          value={text}
          onFocus={() => void index().catch(() => undefined)}
          onInput={(event) => look(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && look('')}
        />
      </form>
      <p class="small muted" role="status">
        {text.trim() === ''
          ? ''
          : found === 'failed'
            ? 'The index could not be loaded.'
            : `${found.length === 0 ? 'Nothing' : found.length} found`}
      </p>
      {shown.length > 0 && (
        <ul>
          {shown.map(({ entry, snippet }) => (
            <li key={entry.id}>
              <a href={entry.href} onClick={() => look('')}>
                <strong>{entry.title}</strong>
                {entry.title !== entry.page && <span class="small muted"> {entry.page}</span>}
                <span class="small muted snippet">{snippet}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
};
