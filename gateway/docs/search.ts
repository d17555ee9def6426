// The search over guides, error codes and operations. Its index is built at start; a search takes a few milliseconds at most.
import MiniSearch from 'minisearch';

export interface SearchEntry {
  readonly path: string;
  readonly title: string;
  /** The page that holds the entry. */
  readonly place: string;
  readonly text: string;
  /** Below 1: the entry comes after others that match as well. */
  readonly weight?: number;
}

export interface FoundEntry extends SearchEntry {
  /** Words of the entry that match. */
  readonly words: readonly string[];
}

export type Search = (query: string) => readonly FoundEntry[];

const MAX_QUERY_CHARACTERS = 100;
const MAX_QUERY_WORDS = 8;
const MAX_RESULTS = 20;
/** A typing error in a shorter word makes another word of it. */
const MIN_FUZZY_CHARACTERS = 5;
const FUZZINESS = 0.2;

export function createSearch(entries: readonly SearchEntry[]): Search {
  const index = new MiniSearch<SearchEntry & { readonly id: number }>({
    fields: ['title', 'place', 'text'],
    searchOptions: {
      boost: { title: 4, place: 2 },
      boostDocument: (id) => entries[Number(id)]?.weight ?? 1,
      prefix: true,
      fuzzy: (term) => (term.length < MIN_FUZZY_CHARACTERS ? false : FUZZINESS),
    },
  });
  index.addAll(entries.map((entry, id) => ({ id, ...entry })));
  return (query) => {
    const words = cutQuery(query);
    if (words === '') return [];
    const all = index.search(words, { combineWith: 'AND' });
    const found = all.length > 0 ? all : index.search(words, { combineWith: 'OR' });
    const shown = found.flatMap(({ id, terms }) => {
      const entry = entries[Number(id)];
      return entry === undefined ? [] : [{ ...entry, words: terms }];
    });
    const isNamed = ({ title }: SearchEntry): boolean => title === query.trim();
    const rest = shown.filter((entry) => !isNamed(entry));
    return [...shown.filter(isNamed), ...rest].slice(0, MAX_RESULTS);
  };
}

export function cutQuery(query: string): string {
  const words = query.slice(0, MAX_QUERY_CHARACTERS).split(/[\s\p{P}]+/u);
  return words
    .filter((word) => word !== '')
    .slice(0, MAX_QUERY_WORDS)
    .join(' ');
}
