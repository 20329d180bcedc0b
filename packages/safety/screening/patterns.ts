import { lazyDataFile } from "../data-file.ts";
import { withoutMarks } from "../words/words.ts";

/** The format of `data/patterns.json`, which explains its parts. */
interface PatternFile {
  methods: Record<string, string[]>;
}

const methods = lazyDataFile("patterns.json", (file: PatternFile) => {
  const any = Object.values(file.methods)
    .flat()
    .map((source) => `(?:${source})`);
  return new RegExp(decomposed(any.join("|")));
});

/** Returns the question about a method of suicide in a text, if there is one. */
export function methodQuestion(text: string): string | undefined {
  return methods().exec(plain(text))?.[0];
}

function plain(text: string): string {
  return withoutMarks(text).replaceAll(/[ ,;-]+/g, " ");
}

/** Writes a pattern as {@link withoutMarks} writes letters, without changing what it means. */
function decomposed(source: string): string {
  return source.normalize("NFKD").replaceAll(/[\u0300-\u036f]/g, "");
}
