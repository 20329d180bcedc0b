import { config } from "../config.ts";
import disclosures from "./data/disclosures.json" with { type: "json" };

/**
 * The texts about the AI by language (BCP 47), the same as those of the safety layer's fixed texts: below an answer, at
 * the creation of a thread, and how to reach a person, in which `{contact}` stands for the setting `humanContact`.
 */
export const DISCLOSURES: Readonly<Record<string, Disclosure>> = disclosures;

type Disclosure = Record<"answer" | "thread" | "contact", string>;

/**
 * Returns the disclosure in the `message` of a new thread.
 *
 * @param acceptLanguage the request's header, if any; English if it names none of these languages
 */
export function threadDisclosure(acceptLanguage: string | undefined): string {
  const language = preferredLanguage(acceptLanguage ?? "");
  return withContact(disclosureIn(language).thread, language);
}

/** Returns the line below an answer; undefined unless the deployment enables it. */
export function answerDisclosure(language: string): string | undefined {
  return config.disclosesInAnswers ? withContact(disclosureIn(language).answer, language) : undefined;
}

/** Returns how to reach a person; undefined without the setting. */
export function contactText(language: string): string | undefined {
  const { humanContact } = config;
  return humanContact === undefined
    ? undefined
    : disclosureIn(language).contact.replace("{contact}", () => humanContact);
}

function disclosureIn(language: string): Disclosure {
  return (DISCLOSURES[language] ?? DISCLOSURES.en) as Disclosure;
}

function withContact(sentence: string, language: string): string {
  return [sentence, contactText(language)].filter((part) => part !== undefined).join(" ");
}

/** Returns the most preferred of these languages in `Accept-Language` (RFC 9110, section 12.5.4). */
function preferredLanguage(acceptLanguage: string): string {
  const ranges = acceptLanguage.split(",").map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    return { tag, quality: quality === undefined ? 1 : Number(quality) };
  });
  const preferred = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  return preferred.map(({ tag }) => languageOf(tag)).find((language) => Object.hasOwn(DISCLOSURES, language)) ?? "en";
}

function languageOf(tag: string): string {
  const primary = tag.split("-")[0]?.toLowerCase() ?? "";
  if (primary === "zh") {
    return /-(hant|tw|hk|mo)\b/i.test(tag) ? "zh-Hant" : "zh";
  }
  return primary === "fil" ? "tl" : primary;
}
