import { lazyDataFile } from "./data-file.ts";
import { isDeniedAt, MOST_SIGNS } from "./denials.ts";
import { plainLetters } from "./words.ts";

/** The format of `data/first-aid.json`, which explains its parts. */
interface FirstAidFile {
  advice: Record<string, { said: string[]; unless?: string; text?: string; source?: string }>;
}

/** Advice that is left out beside others, which say the same or better. */
const SAID_BY: Record<string, string[]> = {
  breathing: ["choking", "anaphylaxis", "asthma"],
  bleeding: ["pregnancy"],
};

/** Who is abused often says what was not done: "he has never hit me, but I am not allowed out". */
const MAY_BE_HIDDEN = "abuse";

const advice = lazyDataFile("first-aid.json", (file: FirstAidFile) =>
  Object.entries(file.advice).map(([name, { said, unless, text }]) => ({
    name,
    said: said.map((sign) => new RegExp(sign, "g")),
    unless: unless === undefined ? undefined : new RegExp(unless),
    text,
  })),
);

/**
 * Returns the names of the first aid that English messages show the need of: first what the last one says itself, then
 * the most urgent. What is denied shows the need of nothing.
 *
 * @param messages the user's last ones, oldest first
 */
export function firstAidFor(...messages: string[]): string[] {
  const names = [...new Set([namesFor(messages.at(-1) ?? ""), namesFor(messages.join("\n"))].flat())];
  return names.filter((name) => !SAID_BY[name]?.some((other) => names.includes(other)));
}

function namesFor(said: string): string[] {
  const text = plainLetters(said);
  const isSaid = (name: string) => (sign: RegExp) => {
    const found = [...text.matchAll(sign)];
    return found.length > MOST_SIGNS || found.some((match) => name === MAY_BE_HIDDEN || !isDenied(match, text));
  };
  return advice()
    .filter(({ name, said: signs, unless }) => signs.every(isSaid(name)) && unless?.test(text) !== true)
    .map(({ name }) => name);
}

/** Whether the first or the last word of a sign is denied: "no chest pain", "the chest does not hurt". */
function isDenied({ 0: sign, index }: RegExpExecArray, text: string): boolean {
  const end = index + sign.length;
  return [index, end - (/\w+$/.exec(sign)?.[0].length ?? 0)].some((start) => isDeniedAt(text, start, end, "en"));
}

/** Returns the English text of a first aid that is not that of a category. */
export function firstAidText(name: string): string | undefined {
  return advice().find((one) => one.name === name)?.text;
}
