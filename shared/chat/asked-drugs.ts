import { cautionTables } from "../../packages/safety/caution-tables.ts";
import { mentionedDrugs } from "../../packages/safety/mentions.ts";
import { plainLetters } from "../../packages/safety/words.ts";
import { ofKind } from "../threads/answer-parts.ts";
import type { Turn } from "../threads/thread.ts";

/** The most characters of a question that is taken to go on with the one before, such as "And how often?". */
const LONGEST_FOLLOW_UP = 40;

/** Questions about the clinic, in the languages of most users, unless they may also be about taking something. */
const ABOUT_CLINIC =
  /\b(?:(?:you|clinic|office) (?:open|closed?)|opening|address|located|parking|insurance|appointments?|abren|abiertos?|cierran|horarios?|direccion|ubicados?|citas?|geoffnet|offnungszeiten|adresse|parkplatze?|termine?|ouvrez|fermez|horaires|rendez|abrem|fecham|endereco|consulta)\b/;
const ABOUT_TAKING =
  /^(?:and|or|y|o|und|oder|et|ou|e) |\b(?:it|them|that|this|these|tak(?:e|ing)|dos(?:e|is)|pills?|mg|before|after|lo|tom\w*|antes|despues|das|nehm\w*|vor|nach|prend\w*|avant|apres|isso|depois)\b/;

/** How a question goes on about a drug that it does not name, in all languages. */
const GOES_ON =
  /^(?:and|but|or|y|e|o|und|oder|aber|et|ou|mas|pero|at|а|и|но) |(?<!\b(?:what|what time|where|who|how|why|when|whats|hows) (?:is )?)\b(?:it|them|that|these)\b|\b(?:tak(?:e|ing)|open|crush|chew|swallow|capsules?|tablets?|pills?|dos(?:e|es|is|age)|mg|before|after|safe|dangerous|how (?:often|many|much|long|soon)|lo|los|tom\w*|antes|despues|segur[oa]|peligros[oa]|cuant[oa]s?|das|nehm\w*|vor|nach|sicher|gefahrlich|wie (?:oft|viel\w*|lange)|prend\w*|avant|apres|combien|sur|sans danger|isso|depois|quant[oa]s?|perigos[oa]|uong|lieu|bao nhieu|an toan|inumin|ilan|ligtas)\b|таблет|принима|сколько|часто|безопасн|опасн|можно|吃|服|用|次|片|颗|顆|粒|多少|多久|安全|먹|복용|얼마|몇|안전|آخذ|تناول|كم|مرة|آمن/;

/**
 * Returns the message with the drugs that it goes on asking about: a caution also holds for a short question that
 * follows and names no drug.
 *
 * @param turns the conversation so far, oldest first
 */
export function withAskedDrugs(message: string, turns: readonly Turn[] = []): string {
  const last = turns.at(-1);
  const isFollowUp =
    message.length <= LONGEST_FOLLOW_UP &&
    /[?？؟]\s*$/.test(message) &&
    !namesDrug(message) &&
    isAboutTaking(plainLetters(message));
  const cautions = isFollowUp && last?.author === undefined ? ofKind("caution", last?.parts ?? []) : [];
  return [message, ...cautions.map(({ drug }) => drug)].join("\n");
}

function isAboutTaking(letters: string): boolean {
  return GOES_ON.test(letters) && (ABOUT_TAKING.test(letters) || !ABOUT_CLINIC.test(letters));
}

function namesDrug(message: string): boolean {
  return mentionedDrugs(cautionTables().finder, message, "").length > 0;
}
