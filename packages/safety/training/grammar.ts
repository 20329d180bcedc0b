import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generator } from "./generator.ts";
import { CORPUS, type Labeled } from "./labeled.ts";

/** The format of `complaint-grammar.json`, whose notes define which frames fit which complaints. */
interface Grammar {
  frames: { text: string; slot: Slot; number?: "singular" | "plural"; person?: "other"; acute?: boolean }[];
  complaints: (Partial<Record<Slot, string>> & { plural: boolean; people: boolean; chronic?: boolean })[];
}

type Slot = "noun" | "bare" | "bit" | "clause" | "clause_his" | "clause_her";

/** The number of frames in which each complaint appears. */
const FRAMES = 8;

/**
 * Minor complaints in everyday sentences. They are always the same, because frames are drawn with a seeded generator.
 */
export function grammarMessages(): Labeled[] {
  const { frames, complaints }: Grammar = JSON.parse(readFileSync(join(CORPUS, "complaint-grammar.json"), "utf8"));
  const random = generator(1);
  const texts = complaints.flatMap((complaint) => {
    const fitting = frames.filter(
      ({ slot, number, person, acute }) =>
        complaint[slot] !== undefined &&
        (number === undefined || (number === "plural") === complaint.plural) &&
        (person === undefined || complaint.people) &&
        !(acute && complaint.chronic),
    );
    return Array.from({ length: Math.min(FRAMES, fitting.length) }, () => {
      const [{ text, slot }] = fitting.splice(random() % fitting.length, 1) as [Grammar["frames"][number]];
      return text.replace(`{${slot}}`, complaint[slot] ?? "");
    });
  });
  return [...new Set(texts)].map((text) => ({ text, level: "none", category: "mild" }));
}
