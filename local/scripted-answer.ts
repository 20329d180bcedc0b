interface ModelRequest {
  messages: readonly { role: string; content?: unknown }[];
}

/** What the answers draw on. */
interface PatientRecord {
  name?: string;
  conditions?: string[];
}

/**
 * Answers to the playground's sample prompts and to the messages of `npm run demo`. None names a drug of its question: the
 * safety layer would repeat its caution.
 */
const ANSWERS: [about: RegExp, answer: (record: PatientRecord) => string][] = [
  [
    /vitamin/i,
    () => `Most adults who eat a varied diet need only vitamin D in winter, because there is too little sun to make it.

Unless your doctor has said otherwise, the usual amount is:
- 600 IU (15 micrograms) a day, with a meal
- more only if a blood test shows that you lack it`,
  ],
  [
    /inhaler/i,
    () => "Yes. Vitamin D does not interact with common asthma inhalers. Keep using yours as your plan says.",
  ],
  [
    /headache/i,
    ({ conditions = [] }) => `${
      conditions.length > 0
        ? `Your record lists **${conditions.map(conditionName).join("** and **")}**, so ask your pharmacist before you take it: not every painkiller suits everyone.`
        : "Most adults can, for a day or two and with food. I know nothing about you yet: with a patient's record, I can take conditions and medications into account."
    }

What often helps as well:

- a large glass of water, and something to eat
- an hour away from screens, in a quiet and dark room
- a short walk in fresh air

See a doctor if it comes back often, or at once if it is the worst headache of your life.`,
  ],
  [
    /amoxicillin/i,
    () =>
      "Please do not. Most coughs and colds are caused by viruses, against which antibiotics do nothing, and leftovers are rarely the right ones. See a doctor if you have a fever, are short of breath, or cough for more than three weeks.",
  ],
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
  [
    /real person/i,
    () => "That is a good idea if you prefer it. I am an AI, and this playground lets you play the person as well.",
  ],
  [
    /الباراسيتامول/,
    () =>
      "في العادة نعم، بالجرعة المكتوبة على العلبة. اسأل الصيدلي أولًا، فهو يعرف أدويتك، ولا تتجاوز الجرعة اليومية القصوى.",
  ],
];

/** Returns the scripted answer to the last message of a request, in the format that the service's prompt asks for. */
export function scriptedAnswer({ messages }: ModelRequest): string {
  const message = textOf(messages.at(-1));
  const record = /<patient_record>\n(.*)\n<\/patient_record>(?:\n|$)/s.exec(textOf(messages[0]))?.[1];
  const answer = ANSWERS.find(([about]) => about.test(message))?.[1];
  return `[[level: none]]\n${answer ? answer(JSON.parse(record ?? "{}")) : NO_ANSWER}`;
}

const NO_ANSWER = `No AI is connected, so this demonstration only knows answers to a few questions. Ask, for example:

- Which vitamins do I need in winter?
- What helps against a headache?

Everything around the answer is real: the thread, the record, the safety check. For an AI that answers everything, start the service with \`OPENAI_API_KEY\` or \`OPENAI_BASE_URL\`.`;

function textOf(message: ModelRequest["messages"][number] | undefined): string {
  return typeof message?.content === "string" ? message.content : "";
}

/** A condition may be a serialized object with a name. */
function conditionName(condition: string): string {
  return /"name":"([^"]+)"/.exec(condition)?.[1] ?? condition;
}
