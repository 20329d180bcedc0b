import { answerAfterAlert, everydayAnswer, type Fillings, unanswered } from "./everyday.ts";
import { smallTalkAnswer, unansweredIn } from "./small-talk.ts";

/** The patient's record in a prompt (`shared/chat/prompt.ts`). */
const RECORD = /<patient_record>\n(.*)\n<\/patient_record>(?:\n|$)/s;

/** The passages of the clinic's information in a prompt (`shared/chat/clinic-sources.ts`). */
const SOURCES = /<clinic_sources>\n(.*)\n<\/clinic_sources>/;

interface ModelRequest {
  messages: readonly { role: string; content?: unknown }[];
}

/** What the answers draw on; a chat's `patientData` may have other types. */
type PatientRecord = Record<string, unknown>;

/** The numbers in the instructions (`shared/chat/instructions.ts`). */
const NUMBERS = /the emergency number is (.+), and the crisis line is (.+)\.$/m;

/** The screen's finding in a notice (`shared/chat/instructions.ts`); without a category that is only possible. */
const RECOGNISED = / last message was recognised as (?:(?:crisis|emergency): ([\w-]+)\.)?/;

/** The service's request for an opening question (`shared/chat/opening-question.ts`), with what the record lacks. */
const OPENING = /^Please open our conversation: .* for my (age and gender|age|gender)/;

/** Those of the questions that show no danger, whatever was said before. Greetings and thanks show none either. */
const HARMLESS = new Set([
  "Which vitamins do I need in winter?",
  "Is it enough to eat vegetables?",
  "What helps against a headache?",
  "Can I take ibuprofen for a headache?",
  "Can I take my leftover amoxicillin?",
  "Which gloves can I wear?",
]);

const NO_VERDICT = "No AI is connected that could judge the message.";

/** Stands below what is said because nobody judged a suspicion: the fixed text of an alert, or whom to call. */
const NO_ANSWER_TO_SUSPICION =
  "No AI is connected, so nobody has judged whether this is an emergency, and there is no further answer here.";

/** Stands below the fixed text of an alert or later, where other questions would be out of place. */
const NO_ANSWER_AFTER_ALERT = "No AI is connected, so there is no further answer here.";

/** Returns the scripted answer to the last message of a request, in the format that the service's prompt asks for. */
export function scriptedAnswer({ messages }: ModelRequest): string {
  return `[[level: none]]\n${answerTo(messages)}`;
}

function answerTo(messages: ModelRequest["messages"]): string {
  const message = lastMessage(messages);
  const notes = messages.filter(({ role }) => role === "system").map(textOf);
  const opening = OPENING.exec(message);
  if (opening) {
    return `Hello! May I ask your ${opening[1]}? I can answer better if I know, but you need not tell me.`;
  }
  const harmless = HARMLESS.has(message);
  return (
    belowAlert(notes) ??
    smallTalkAnswer(message) ??
    (harmless ? undefined : inDanger(messages, notes)) ??
    everydayAnswer(message, fillingsOf(notes), (about) => quoted(messages, about)) ??
    quoted(messages) ??
    unansweredIn(message) ??
    unanswered(message, textOf(messages.findLast(({ role }) => role === "assistant")))
  );
}

/** What is said below the fixed text of an alert, which any other answer would contradict. */
function belowAlert(notes: readonly string[]): string | undefined {
  const recognised = notes.map((note) => RECOGNISED.exec(note)).find((match) => match !== null);
  return recognised && (answerAfterAlert(recognised[1] ?? "") ?? NO_ANSWER_AFTER_ALERT);
}

/**
 * What is said instead of an answer where somebody may be in danger, which a script cannot judge.
 *
 * @param notes what the service told the model about this message and earlier ones
 */
function inDanger(messages: ModelRequest["messages"], notes: readonly string[]): string | undefined {
  if (notes.some((note) => note.includes("An automatic screen suspects "))) {
    return NO_ANSWER_TO_SUSPICION;
  }
  const isMarked = messages.some(
    (one) => one.role === "assistant" && /^\[\[level: (crisis|emergency)/.test(textOf(one)),
  );
  return isMarked || notes.some((note) => / was recognised as (crisis|emergency)\b/.test(note))
    ? NO_ANSWER_AFTER_ALERT
    : undefined;
}

/** What the answers can say of the patient and of whom to call. */
function fillingsOf(notes: readonly string[]): Fillings {
  const [instructions = ""] = notes;
  const record: PatientRecord = JSON.parse(RECORD.exec(instructions)?.[1] ?? "{}");
  const [, emergencyNumber, crisisLine] = NUMBERS.exec(instructions) ?? [];
  return { record: recordAnswer(record), recorded: recordedFacts(record), emergencyNumber, crisisLine };
}

/**
 * Quotes the clinic's information.
 *
 * @param about what the passage has to be about; by default, the best one is quoted
 */
function quoted(messages: ModelRequest["messages"], about?: RegExp): string | undefined {
  const json = messages.map((one) => SOURCES.exec(textOf(one))?.[1]).find((found) => found !== undefined);
  const passages: { number: number; title: string; text: string }[] = JSON.parse(json ?? "[]");
  const passage = passages.find(({ title, text }) => about?.test(`${title}\n${text}`) ?? true);
  return passage && `${passage.text} [${passage.number}]`;
}

/**
 * Returns the answer to the question whether a message shows a danger: for all but the script's own questions,
 * greetings and thanks, nothing that could be read as a verdict.
 */
export function scriptedVerdict({ messages }: ModelRequest): string {
  const conversation: ModelRequest["messages"] = JSON.parse(lastMessage(messages));
  const message = lastMessage(conversation);
  return HARMLESS.has(message) || smallTalkAnswer(message) !== undefined
    ? '{"level":"none","category":"none","certainty":"certain"}'
    : NO_VERDICT;
}

/** What a record says, in the words of a person; undefined if it says nothing. */
function recordAnswer({ conditions, allergies, medications }: PatientRecord): string | undefined {
  const facts = { Conditions: conditions, Allergies: allergies, Medicines: medications };
  const lines = Object.entries(facts).flatMap(([name, value]) => {
    const entries = namesIn(value);
    return entries.length > 0 ? [`- ${name}: ${listed(entries)}`] : [];
  });
  return lines.length > 0 ? `Your record has this:\n\n${lines.join("\n")}` : undefined;
}

/**
 * What a record has that may matter for a medicine. Medicines and allergies are not named: the safety layer would take
 * them for drugs that the answer is about.
 */
function recordedFacts({ conditions, medications, allergies, notes }: PatientRecord): string | undefined {
  const named = namesIn(conditions);
  const others = Object.entries({
    conditions: named.length > 0 ? [] : conditions,
    medicines: medications,
    allergies,
    notes,
  })
    .filter(([, value]) => [value ?? []].flat().some((entry) => entry !== "" && entry !== NOT_KNOWN))
    .map(([name]) => name);
  const facts = [
    ...(named.length > 0 ? [`lists ${listed(named)}`] : []),
    ...(others.length > 0 ? [`has entries about ${listed(others)}`] : []),
  ];
  return facts.length > 0 ? `Your record ${facts.join(", and ")}.` : undefined;
}

/** What a record says instead of allergies that nobody has asked for (`shared/patients/clinical-facts.ts`). */
const NOT_KNOWN = "not known";

function listed(facts: readonly string[]): string {
  return new Intl.ListFormat("en").format(facts.map((fact) => `**${fact}**`));
}

function lastMessage(messages: ModelRequest["messages"]): string {
  return textOf(messages.findLast(({ role }) => role === "user"));
}

function textOf(message: ModelRequest["messages"][number] | undefined): string {
  return typeof message?.content === "string" ? message.content : "";
}

/** An entry is a text, or an object with a name; what is neither is not shown. */
function namesIn(value: unknown): string[] {
  return [value ?? []]
    .flat()
    .map((entry) => (entry as { name?: unknown } | null)?.name ?? entry)
    .filter((name) => typeof name === "string" && name.trim() !== "") as string[];
}
