import { recognizeLanguage } from "../packages/safety/language.ts";
import smallTalk from "./small-talk.json" with { type: "json" };

/**
 * Returns the answer to a message that is a greeting or thanks and nothing else; undefined for any other.
 *
 * `small-talk.json` has both in each language of the safety screen, without punctuation and in lower case. Words that
 * are also a farewell ("ciao", "buenas noches") and those that can answer a question ("ok") are missing on purpose:
 * after a crisis, either may show a danger.
 */
export function smallTalkAnswer(message: string): string | undefined {
  const said = message
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\p{P}\s]+/gu, " ")
    .trim();
  for (const { greetings, thanks, hello, welcome } of Object.values(smallTalk)) {
    if (greetings.includes(said)) {
      return hello;
    }
    if (thanks.includes(said)) {
      return welcome;
    }
  }
  return undefined;
}

/** Returns the sentence that says that there is no answer, in the language of a message that is not in English. */
export function unansweredIn(message: string): string | undefined {
  const texts: Record<string, { hello: string; unanswered?: string }> = smallTalk;
  return texts[recognizeLanguage(message).language]?.unanswered;
}
