import type { Clinic } from "../clinic.ts";
import { openingNow } from "../opening-hours.ts";
import disclosures from "./data/disclosures.json" with { type: "json" };

/**
 * The texts about the AI by language (BCP 47), the same as those of the safety layer's fixed texts: below an answer, at
 * the creation of a thread, how to reach a person, in which `{contact}` stands for what the clinic says, and when it opens.
 */
export const DISCLOSURES: Readonly<Record<string, Disclosure>> = disclosures;

type Disclosure = Record<"answer" | "thread" | "contact" | "closed" | "opens", string>;

/**
 * Returns the disclosure in the `message` of a new thread, below the clinic's greeting.
 *
 * @param acceptLanguage the request's header, if any; the clinic's language if it names none of these
 */
export function threadDisclosure(clinic: Clinic, acceptLanguage: string | undefined): string {
  const language = preferredLanguage(acceptLanguage ?? "") ?? clinic.language;
  return sentences(clinic.greeting, disclosureIn(language).thread, contactText(clinic, language));
}

/** Returns the line below an answer; undefined unless the clinic wants it. */
export function answerDisclosure(clinic: Clinic, language: string): string | undefined {
  return clinic.disclosesInAnswers
    ? sentences(disclosureIn(language).answer, contactText(clinic, language))
    : undefined;
}

/** Returns how a person is reached now, as the end of a sentence; undefined if the clinic does not say it. */
export function contactNow({ contact, contactWhenClosed, hours }: Clinic): string | undefined {
  return openingNow(hours)?.isOpen === false ? (contactWhenClosed ?? contact) : contact;
}

/** Returns how to reach a person now, as a sentence; undefined if the clinic does not say it. */
export function contactText(clinic: Clinic, language: string): string | undefined {
  const now = contactNow(clinic);
  return now === undefined ? undefined : disclosureIn(language).contact.replace("{contact}", () => now);
}

/** Says that a clinic is closed, and when it opens in its own time; undefined for one that is open, or may be. */
export function closedText({ country, hours }: Clinic, language: string): string | undefined {
  const opening = openingNow(hours);
  if (opening === undefined || opening.isOpen) {
    return undefined;
  }
  const { closed, opens } = disclosureIn(language);
  const { opensAt } = opening;
  if (opensAt === undefined) {
    return closed;
  }
  const time = new Intl.DateTimeFormat(`${language}-${country}`, {
    timeZone: hours?.timeZone,
    weekday: "long",
    month: "long",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  }).format(opensAt);
  return sentences(
    closed,
    opens.replace("{opens}", () => time),
  );
}

function disclosureIn(language: string): Disclosure {
  return (DISCLOSURES[language] ?? DISCLOSURES.en) as Disclosure;
}

function sentences(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" ");
}

/** Returns the most preferred of these languages in `Accept-Language` (RFC 9110, section 12.5.4); undefined for none. */
function preferredLanguage(acceptLanguage: string): string | undefined {
  const ranges = acceptLanguage.split(",").map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    return { tag, quality: quality === undefined ? 1 : Number(quality) };
  });
  const preferred = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  return preferred.map(({ tag }) => languageOf(tag)).find((language) => Object.hasOwn(DISCLOSURES, language));
}

function languageOf(tag: string): string {
  const primary = tag.split("-")[0]?.toLowerCase() ?? "";
  if (primary === "zh") {
    return /-(hant|tw|hk|mo)\b/i.test(tag) ? "zh-Hant" : "zh";
  }
  return primary === "fil" ? "tl" : primary;
}
