/** How much the words around a mutant have in common with those of each test, from 0 to 1; rare words count more. */
export type Affinity = (file: string, source: string, line: number) => Map<string, number>;

/** Lines before and after the mutant's. */
const CONTEXT_LINES = 2;

/** @param tests test file → its text */
export function affinityTo(tests: Map<string, string>): Affinity {
  const words = new Map([...tests].map(([file, text]) => [file, wordsOf(`${file} ${text}`)]));
  const weight = (word: string) => {
    const containing = [...words.values()].filter((set) => set.has(word)).length;
    return containing === 0 ? 0 : Math.log(1 + words.size / containing);
  };
  return (file, source, line) => {
    const lines = source.split("\n").slice(Math.max(0, line - 1 - CONTEXT_LINES), line + CONTEXT_LINES);
    const weights = [...wordsOf(`${file} ${lines.join("\n")}`)].map((word) => ({ word, weight: weight(word) }));
    const total = weights.reduce((sum, one) => sum + one.weight, 0) || 1;
    return new Map(
      [...words].map(([test, own]) => {
        const common = weights.filter(({ word }) => own.has(word));
        return [test, common.reduce((sum, one) => sum + one.weight, 0) / total];
      }),
    );
  };
}

function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[A-Za-z][\w-]{3,}/g)?.map((word) => word.toLowerCase()));
}
