import { smallTalkAnswer } from "./small-talk.ts";

/** The passages of the clinic's information in a prompt (`shared/chat/clinic-sources.ts`). */
const SOURCES = /<clinic_sources>\n(.*)\n<\/clinic_sources>/;

interface ModelRequest {
  messages: readonly { role: string; content?: unknown }[];
}

/** What the answers draw on; a chat's `patientData` may have other types. */
type PatientRecord = Record<string, unknown>;

/** The service's request for an opening question (`shared/chat/opening-question.ts`), with what the record lacks. */
const OPENING = /^Please open our conversation: .* for my (age and gender|age|gender)/;

/**
 * Answers to the questions of the documents, the examples, the playground and `npm run demo`: general information. None
 * names a drug of its question: the safety layer would repeat its caution.
 */
const ANSWERS: [about: RegExp, answer: (record: PatientRecord, question: string) => string][] = [
  [
    /vegetables/i,
    () =>
      "For most vitamins, yes, if you vary them. Vitamin D is the exception: hardly any food has enough of it. Vitamin B12 is only in food from animals, so those who eat none need a supplement.",
  ],
  [
    /vitamin/i,
    () => `Most adults who eat a varied diet need only vitamin D in winter, because there is too little sun to make it.

Unless your doctor has said otherwise, the usual amount is:
- 600 IU (15 micrograms) a day, with a meal
- more only if a blood test shows that you lack it`,
  ],
  [
    /fine with my inhaler/i,
    () => "Yes. Vitamin D does not interact with common asthma inhalers. Keep using yours as your plan says.",
  ],
  [
    /headache/i,
    (record) => `${aboutPainkillers(record)}

What often helps as well:

- a large glass of water, and something to eat
- an hour away from screens, in a quiet and dark room
- a short walk in fresh air

See a doctor if it comes back often, or at once if it is the worst headache of your life.`,
  ],
  [/can I take (ibuprofen|paracetamol)/i, aboutPainkillers],
  [
    /how often( can I take it)?\?*$/i,
    () =>
      "As often as the package says, and not for more than three days without asking. On more than ten days a month, painkillers can cause headaches themselves.",
  ],
  [/^(what|which|am i|do i|do you)\b.*\b(allerg\w*|medic\w*|meds|conditions|my record|about me)\b/i, recordAnswer],
  [
    /gloves/i,
    () => "Gloves of nitrile or vinyl contain no latex, so they suit almost everyone, also with a latex allergy.",
  ],
  [
    /amoxicillin/i,
    () =>
      "Please do not. Most coughs and colds are caused by viruses, against which antibiotics do nothing, and leftovers are rarely the right ones. See a doctor if you have a fever, are short of breath, or cough for more than three weeks.",
  ],
  [
    /real person/i,
    () =>
      "That is a good idea if you prefer it. I am only a script; in the playground, you can play the person yourself.",
  ],
  [
    /الباراسيتامول/,
    () =>
      "في العادة نعم، بالجرعة المكتوبة على العلبة. اسأل الصيدلي أولًا، فهو يعرف أدويتك، ولا تتجاوز الجرعة اليومية القصوى.",
  ],
  [/^thank you\b/i, () => "You are welcome. Write again whenever you like."],
  [/^(ok|okay|all right|alright)[.!]*$/i, () => "All right. Write again whenever you like."],
  [
    OPENING,
    (_, request) =>
      `Hello! May I ask your ${OPENING.exec(request)?.[1]}? I can answer better if I know, but you need not tell me.`,
  ],
];

/** The only answers below the fixed text of an alert, which any other would contradict. */
const AFTER_ALERT: typeof ANSWERS = [
  [
    /chest/i,
    () =>
      "While you wait: sit down and rest, unlock your door, and stay on the phone with the dispatcher. Tell them about your conditions and what you take.",
  ],
  [
    /\blive\b|kill myself/i,
    () =>
      "I am glad that you told me. You do not have to carry this alone, and it can get better with help. Is someone near you who could stay with you now?",
  ],
];

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

const NO_ANSWER = `This demonstration has only a few scripted answers, and none to this. Ask, for example:

- Which vitamins do I need in winter?
- What helps against a headache?

Everything around the answer is real: the thread, the record, the safety check. A real model would also have judged whether the message is an emergency. For an AI that answers everything, start the service with \`OPENAI_API_KEY\` or \`OPENAI_BASE_URL\`.`;

/** Stands below what is said because nobody judged a suspicion: the fixed text of an alert, or whom to call. */
const NO_ANSWER_TO_SUSPICION =
  "No AI is connected, so nobody has judged whether this is an emergency, and there is no further answer here.";

/** Stands below the fixed text of an alert or later, where other questions would be out of place. */
const NO_ANSWER_AFTER_ALERT = "No AI is connected, so there is no further answer here.";

/** Returns the scripted answer to the last message of a request, in the format that the service's prompt asks for. */
export function scriptedAnswer({ messages }: ModelRequest): string {
  const message = lastMessage(messages);
  const record = /<patient_record>\n(.*)\n<\/patient_record>(?:\n|$)/s.exec(textOf(messages[0]))?.[1];
  const notes = messages.filter(({ role }) => role === "system").map(textOf);
  const isAlert = notes.some((note) => note.includes(" last message was recognised as "));
  const answer = (isAlert ? AFTER_ALERT : ANSWERS).find(([about]) => about.test(message))?.[1];
  const passages = messages.map((one) => SOURCES.exec(textOf(one))?.[1]).find((json) => json !== undefined);
  const said = answer
    ? answer(JSON.parse(record ?? "{}"), message)
    : passages && !isAlert
      ? quoted(passages)
      : smallTalkAnswer(message);
  return `[[level: none]]\n${said ?? withoutAnswer(messages, notes)}`;
}

/**
 * What is said instead of an answer. Questions to ask would be out of place where somebody may be in danger.
 *
 * @param notes what the service told the model about this message and earlier ones
 */
function withoutAnswer(messages: ModelRequest["messages"], notes: string[]): string {
  if (notes.some((note) => note.includes("An automatic screen suspects "))) {
    return NO_ANSWER_TO_SUSPICION;
  }
  const isMarked = messages.some(
    (one) => one.role === "assistant" && /^\[\[level: (crisis|emergency)/.test(textOf(one)),
  );
  return isMarked || notes.some((note) => / was recognised as (crisis|emergency)\b/.test(note))
    ? NO_ANSWER_AFTER_ALERT
    : NO_ANSWER;
}

/** Answers with the best passage of the clinic's information. */
function quoted(passages: string): string {
  const [best]: { number: number; text: string }[] = JSON.parse(passages);
  return `${best?.text} [${best?.number}]`;
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

/** What a record says, in the words of a person. A real model answers this question, too. */
function recordAnswer({ conditions, allergies, medications }: PatientRecord): string {
  const facts = { Conditions: conditions, Allergies: allergies, Medicines: medications };
  const lines = Object.entries(facts).flatMap(([name, value]) => {
    const entries = [value ?? []].flat().map(nameOf);
    return entries.length > 0 ? [`- ${name}: ${listed(entries)}`] : [];
  });
  return lines.length > 0
    ? `Your record has this:\n\n${lines.join("\n")}\n\nWhat is not in it may be missing. Tell your clinic what has changed.`
    : "I know of no conditions, allergies or medicines of yours. That does not mean that there are none.";
}

/** Medications and allergies are not named: the safety layer would take them for drugs that the answer is about. */
function aboutPainkillers({ conditions, medications, allergies, notes }: PatientRecord): string {
  const named = Array.isArray(conditions) ? conditions.map(nameOf) : [];
  const others = [
    ...(conditions && !Array.isArray(conditions) ? ["conditions"] : []),
    ...(medications ? ["medicines"] : []),
    ...(allergies ? ["allergies"] : []),
    ...(notes ? ["notes"] : []),
  ];
  const facts = [
    ...(named.length > 0 ? [`lists ${listed(named)}`] : []),
    ...(others.length > 0 ? [`has entries about ${listed(others)}`] : []),
  ];
  return facts.length > 0
    ? `Your record ${facts.join(", and ")}. Ask your pharmacist before you take a painkiller: not all of them suit everyone.`
    : "Most adults can take a common painkiller for a day or two, with food and as the package says. I know of no conditions, medications or allergies of yours; what is in a patient's record, I take into account.";
}

function listed(facts: unknown[]): string {
  return new Intl.ListFormat("en").format(facts.map((fact) => `**${fact}**`));
}

function lastMessage(messages: ModelRequest["messages"]): string {
  return textOf(messages.findLast(({ role }) => role === "user"));
}

function textOf(message: ModelRequest["messages"][number] | undefined): string {
  return typeof message?.content === "string" ? message.content : "";
}

/** A condition may be an object with a name. */
function nameOf(condition: unknown): unknown {
  return (condition as { name?: unknown } | null)?.name ?? condition;
}
