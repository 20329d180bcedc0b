import { readDataFile } from "./data-file.ts";
import { plainLetters } from "./words.ts";

/** The format of `data/first-aid.json`, which explains its parts. */
interface FirstAidFile {
  advice: Record<string, { said: string[]; unless?: string; text?: string; source?: string }>;
}

interface Advice {
  name: string;
  said: RegExp[];
  unless: RegExp | undefined;
  text: string | undefined;
}

/** Advice that contains what the general one about breathing says. */
const ABOUT_BREATHING = ["choking", "anaphylaxis", "asthma"];

let all: Advice[] | undefined;

/** Returns the names of the first aid that an English text shows the need of, most urgent first. */
export function firstAidFor(said: string): string[] {
  const text = plainLetters(said);
  const names = advice()
    .filter(({ said: signs, unless }) => signs.every((sign) => sign.test(text)) && unless?.test(text) !== true)
    .map(({ name }) => name);
  return names.filter((name) => name !== "breathing" || !ABOUT_BREATHING.some((other) => names.includes(other)));
}

/** Returns the English text of a first aid that is not that of a category. */
export function firstAidText(name: string): string | undefined {
  return advice().find((one) => one.name === name)?.text;
}

function advice(): Advice[] {
  if (!all) {
    const file: FirstAidFile = JSON.parse(readDataFile("first-aid.json").toString());
    all = Object.entries(file.advice).map(([name, { said, unless, text }]) => ({
      name,
      said: said.map((sign) => new RegExp(sign)),
      unless: unless === undefined ? undefined : new RegExp(unless),
      text,
    }));
  }
  return all;
}
