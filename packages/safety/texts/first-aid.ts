import { type Category, LANGUAGES, type Language, MIND, type SafetyAlert } from "../alerts.ts";
import { lazyDataFile } from "../data-file.ts";
import { recognizeLanguage } from "../language.ts";
import { isDeniedAt, MOST_SIGNS } from "../screening/denials.ts";
import { fluentIn } from "../screening/language-rules.ts";
import { fluentSentence } from "../words/typing.ts";
import { unicode } from "../words/unicode.ts";
import { endsOf, sentencesOf, withoutMarks, withoutStretches } from "../words/words.ts";

/** The format of `data/first-aid.json`, which explains its parts. */
interface SituationFile {
  situations: { name: string; immediate?: boolean; inCrisis?: boolean; against?: string }[];
}

/** The format of `data/first-aid/<language>.json`; that of English explains its parts. */
interface SignFile {
  abuse?: SignSource;
  words: Record<string, string>;
  signs: Record<string, SignSource[]>;
}

interface SignSource {
  said: string[];
  unless?: string;
  how?: How;
  categories?: Category[];
}

type How = "meant" | "accident" | "not-accident";

/** One way to say that a situation is there. */
interface Sign {
  language: Language;
  said: RegExp[];
  unless: RegExp | undefined;
  how: How | undefined;
  categories: Category[] | undefined;
}

/** What a first aid is chosen for. */
export interface Danger {
  /** The user's last messages, oldest first. */
  messages: string[];
  alert: SafetyAlert;
  /** Whether the first aid of the alert's category is right if the messages show no other. */
  categoryCounts: boolean;
  /** Whether a pregnancy is possible. */
  mayBePregnant: boolean;
}

const OF_PREGNANCY = ["pregnancy", "cord", "birth", "after-birth"];

const situations = lazyDataFile("first-aid.json", (file: SituationFile) =>
  file.situations.map(({ against, ...situation }) => ({
    ...situation,
    against: against === undefined ? undefined : new RegExp(against),
  })),
);

/** By language, the signs of each situation, the words of an intent and of an accident, and the signs of abuse. */
const signs = new Map(
  LANGUAGES.map((language) => [
    language,
    lazyDataFile(`first-aid/${language.toLowerCase()}.json`, ({ words, ...file }: SignFile) => {
      const whole = (source: string): string =>
        source.replaceAll(/\{([a-z][a-z-]*)\}/g, (_, name: string) => `(?:${whole(words[name] as string)})`);
      // Vietnamese writes each syllable apart: "ong đốt" (stung by a bee) does not stand in "ngọng đột ngột" (suddenly slurred).
      const inSyllables = (source: string) => (language === "vi" ? `(?<!\\w)(?:${source})(?!\\w)` : source);
      const compiled = (source: string) =>
        new RegExp(language === "en" ? whole(source) : inSyllables(plain(whole(source))), "g");
      const sign = ({ said, unless, how, categories }: SignSource): Sign => ({
        language,
        said: said.map(compiled),
        unless: unless === undefined ? undefined : compiled(unless),
        how,
        categories,
      });
      return {
        bySituation: new Map(Object.entries(file.signs).map(([name, all]) => [name, all.map(sign)])),
        intent: compiled("{intent}"),
        accident: compiled("{accident}"),
        object: compiled("{object}"),
        medicine: compiled("{medicine}"),
        abuse: file.abuse && sign(file.abuse),
      };
    }),
  ]),
);

/** Returns the signs of English and of other languages. */
function signsIn(languages: Language[]) {
  const inHan = languages.some((language) => IN_HAN.includes(language)) ? IN_HAN : [];
  return [...new Set<Language>(["en", ...languages, ...inHan])].flatMap((language) => signs.get(language)?.() ?? []);
}

/** Many characters are the same in both scripts. */
const IN_HAN: Language[] = ["zh", "zh-Hant"];

/**
 * Chooses what the user is told to do until help arrives: one situation, the text of which stands alone, because two
 * texts below each other can contradict each other. Signs of every language are read of which a message has a word of an
 * alarm, and no others: "that corner" is a hanging in Vietnamese without marks. What is denied is no sign.
 *
 * @returns the name of a text in `emergency.meanwhile` of the fixed texts; undefined if nothing shows one
 */
export function firstAidFor({ messages, alert, categoryCounts, mayBePregnant }: Danger): string | undefined {
  const languages = messages.map((message) => recognizeLanguage(endsOf(message)).candidates);
  const texts = messages.map((message, index) => readingsOf(message, languages[index] as Language[]));
  const all = texts.join("\n");
  const last = texts.at(-1) ?? "";
  const ofMind = MIND.includes(alert.category);
  const spoken = signsIn(languages.flat());
  const has = (words: "intent" | "accident" | "object" | "medicine") => spoken.some((own) => matches(own[words], all));
  const isIntended = has("intent");
  const isAccident = !isIntended && (has("accident") || (has("object") && !has("medicine")));
  const is: Record<How, boolean> = {
    meant: isIntended || (ofMind && alert.category !== "abuse"),
    accident: isAccident,
    "not-accident": !isAccident,
  };
  const isSaid = (name: string, text: string) =>
    spoken.some(({ bySituation }) =>
      bySituation
        .get(name)
        ?.some((sign) => (sign.how === undefined || is[sign.how]) && applies(sign, text, all, alert)),
    );
  const isOfCategory = ({ name, against }: { name: string; against: RegExp | undefined }) =>
    categoryCounts && name === alert.category && !(against && matches(against, all));
  const possible = situations().filter(
    (one) => (!ofMind || one.inCrisis || isOfCategory(one)) && (mayBePregnant || !OF_PREGNANCY.includes(one.name)),
  );
  const ofAll = possible.find((one) => isSaid(one.name, all) || isOfCategory(one));
  return (ofAll?.immediate ? ofAll : (possible.find(({ name }) => isSaid(name, last)) ?? ofAll))?.name;
}

const ARABIC_MARKS = /[\u0640\u064b-\u0655\u0670]/g;

/** The form in which a text is compared: without accents and marks, and with whole syllables in Korean. */
function plain(text: string): string {
  return withoutMarks(text).replaceAll(ARABIC_MARKS, "").normalize("NFC");
}

/** A message as it is compared, behind what it says without hesitations and misspelled words: "isn't really, um, waking up". */
function readingsOf(message: string, languages: Language[]): string {
  const text = withoutStretches(endsOf(message));
  const inEnglish = sentencesOf(text)
    .map(fluentSentence)
    .map((words) => words.join(" "))
    .join(". ");
  const fluent = languages.map((language) => fluentIn(text, language));
  return [...new Set([inEnglish, ...fluent, text].map(plain))].join("\n");
}

/** Whether English messages speak of abuse, also if they deny it: "he has never hit me, but I am not allowed out". */
export function maySpeakOfAbuse(messages: string[]): boolean {
  const text = messages.map((message) => plain(endsOf(message))).join("\n");
  const sign = signs.get("en")?.().abuse;
  return sign?.said.some((pattern) => matches(pattern, text)) === true && !(sign.unless && matches(sign.unless, text));
}

/**
 * @param text where it has to be said
 * @param all where nothing may speak against it
 */
function applies(sign: Sign, text: string, all: string, { category }: SafetyAlert): boolean {
  return (
    sign.categories?.includes(category) !== false &&
    sign.said.every((pattern) => isSaidIn(text, pattern, sign.language)) &&
    !(sign.unless && matches(sign.unless, all))
  );
}

/** Whether a pattern matches a place where neither its first nor its last word is denied. */
function isSaidIn(text: string, pattern: RegExp, language: Language): boolean {
  const found = [...text.matchAll(pattern)];
  return found.length > MOST_SIGNS || found.some((match) => !isDenied(match, text, language));
}

/** What two languages have in common may be written in one and denied in the other. */
const ALSO_DENIED_IN: Partial<Record<Language, Language[]>> = { tl: ["en"], zh: ["zh-Hant"], "zh-Hant": ["zh"] };

const LAST_WORD = unicode("[\\p{L}\\p{M}\\d]+$");

/** "No chest pain", "the chest does not hurt". */
function isDenied({ 0: sign, index }: RegExpExecArray, text: string, language: Language): boolean {
  const end = index + sign.length;
  const starts = [index, end - (LAST_WORD().exec(sign)?.[0].length ?? 0)];
  return [language, ...(ALSO_DENIED_IN[language] ?? [])].some((each) =>
    starts.some((start) => isDeniedAt(text, start, end, each)),
  );
}

function matches(pattern: RegExp, text: string): boolean {
  return text.search(pattern) >= 0;
}
