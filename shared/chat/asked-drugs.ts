import { cautionTables } from "../safety/caution-tables.ts";
import { mentionedDrugs } from "../safety/mentions.ts";
import { plainLetters } from "../safety/words.ts";
import { ofKind } from "../threads/answer-parts.ts";
import type { Turn } from "../threads/thread.ts";

/** The most characters of a question that is taken to go on with the one before, such as "And how often?". */
const LONGEST_FOLLOW_UP = 40;

/** Questions about the clinic, in the languages of most users, unless they may also be about taking something. */
const ABOUT_CLINIC =
  /\b(?:(?:you|clinic|office) (?:open|closed?)|opening|address|located|parking|insurance|appointments?|abren|abiertos?|cierran|horarios?|direccion|ubicados?|citas?|geoffnet|offnungszeiten|adresse|parkplatze?|termine?|ouvrez|fermez|horaires|rendez|abrem|fecham|endereco|consulta)\b/;
const ABOUT_TAKING =
  /^(?:and|or|y|o|und|oder|et|ou|e) |\b(?:it|them|that|this|these|tak(?:e|ing)|dos(?:e|is)|pills?|mg|before|after|lo|tom\w*|antes|despues|das|nehm\w*|vor|nach|prend\w*|avant|apres|isso|depois)\b/;

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
    !isAboutClinic(plainLetters(message));
  const cautions = isFollowUp && last?.author === undefined ? ofKind("caution", last?.parts ?? []) : [];
  return [message, ...cautions.map(({ drug }) => drug)].join("\n");
}

function isAboutClinic(letters: string): boolean {
  return ABOUT_CLINIC.test(letters) && !ABOUT_TAKING.test(letters);
}

function namesDrug(message: string): boolean {
  return mentionedDrugs(cautionTables().finder, message, "").length > 0;
}
