import MiniSearch, { type SearchResult } from "minisearch";
import { CONCEPT_MARK } from "./concepts.ts";
import type { Passage } from "./passages.ts";
import { isWritten, searchedTokensOf, termsOf, tokensOf } from "./tokens.ts";

/** Passages that can be searched, in memory. */
export interface SearchIndex {
  /** Returns the passages that may answer a question, the best first, at most {@link MOST_PASSAGES}. */
  find(question: string): Passage[];
}

/** How many passages a prompt gets at most. */
export const MOST_PASSAGES = 6;

/** The weights of where a word is found. A title says what the whole source is about. */
const BOOST = { title: 1.6, headings: 1.4, text: 1 };

/** The weight of what a word is about, compared with the word itself. */
const CONCEPT_BOOST = 0.8;

/** From this length on, a word also finds words that begin with it, or differ in one letter of five. */
const SHORTEST_PREFIX = 4;
const SHORTEST_FUZZY = 5;

/**
 * Empty passages that are indexed besides: a word is rare (BM25) in comparison with them too, so that a score means the
 * same for a single source as for two hundred.
 */
const OTHERS = 50;

/**
 * The least score of an answer, per natural logarithm of the number of passages, with which the weight of a rare word
 * grows. The score counts in proportion to the words of the question that any passage has: a question with words that
 * the sources do not know is probably about something else. Measured with `npm run eval:sources`.
 */
const LEAST_SCORE = 1.1;

/** The least score of a further passage, as a share of the best one's. */
const LEAST_OF_BEST = 0.1;

/** Builds the index of a tenant's passages: BM25 over words and what they are about, without a server. */
export function indexOf(passages: readonly Passage[]): SearchIndex {
  const index = new IndexBuilder();
  index.add(passages);
  return index.build();
}

/** Builds an index of passages that are added source by source, so that a source that fails costs only itself. */
export class IndexBuilder {
  private readonly passages: Passage[] = [];
  private readonly index = new MiniSearch<{ id: number; title: string; headings: string; text: string }>({
    fields: ["title", "headings", "text"],
    tokenize: tokensOf,
    processTerm: termsOf,
    searchOptions: {
      boost: BOOST,
      tokenize: searchedTokensOf,
      boostTerm: (term) => (term.startsWith(CONCEPT_MARK) ? CONCEPT_BOOST : 1),
      prefix: (term) => term.length >= SHORTEST_PREFIX && isWritten(term),
      fuzzy: (term) => (term.length >= SHORTEST_FUZZY && isWritten(term) ? 0.2 : false),
    },
  });

  get size(): number {
    return this.passages.length;
  }

  add(passages: readonly Passage[]): void {
    for (const passage of passages) {
      const id = this.passages.push(passage) - 1;
      const { title, headings, text } = passage;
      this.index.add({ id, title, headings: headings.join("\n"), text });
    }
  }

  build(): SearchIndex {
    const { index, passages } = this;
    for (let other = 0; other < OTHERS; other++) {
      index.add({ id: passages.length + other, title: "", headings: "", text: "" });
    }
    const least = LEAST_SCORE * Math.log(1 + passages.length + OTHERS);
    return {
      find: (question) => {
        const results = index.search(question);
        const [best] = results;
        if (!best || best.score * shareKnown(question, results) < least) {
          return [];
        }
        return results
          .filter(({ score }) => score >= best.score * LEAST_OF_BEST)
          .slice(0, MOST_PASSAGES)
          .flatMap(({ id }) => passages[id] ?? []);
      },
    };
  }
}

/** The share of a question's words that any passage has, itself or what it is about. */
function shareKnown(question: string, results: readonly SearchResult[]): number {
  const found = new Set(results.flatMap(({ queryTerms }) => queryTerms));
  const words = searchedTokensOf(question);
  return words.filter((word) => termsOf(word).some((term) => found.has(term))).length / Math.max(1, words.length);
}
