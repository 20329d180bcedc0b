interface ModelRequest {
  messages: { role: string; content?: unknown }[];
}

/** The demo's answers, in the format that the service's prompt asks for. */
const ANSWERS: [about: RegExp, answer: string][] = [
  [
    /vitamins/,
    `Most adults who eat a varied diet need only vitamin D in winter, because there is too little sun to make it.

At 34, and with nothing in your record against it, the usual amount is:
- 600 IU (15 micrograms) a day, with a meal
- more only if a blood test shows that you lack it`,
  ],
  [/inhaler/, `Yes. Vitamin D does not interact with common asthma inhalers. Keep using yours as your plan says.`],
  [
    /amoxicillin/,
    `Please do not. Most coughs are caused by viruses, against which antibiotics do nothing. See a doctor if you have a fever, are short of breath, or cough for more than three weeks.`,
  ],
  [
    /chest/,
    `While you wait: unlock your door, and stay on the phone with the dispatcher. Tell them about your asthma.`,
  ],
];

/** The scripted answer to the last message of a request. */
export function scriptedAnswer({ messages }: ModelRequest): string {
  const message = String(messages.at(-1)?.content ?? "");
  const answer = ANSWERS.find(([about]) => about.test(message))?.[1];
  return `[[level: none]]\n${answer ?? "I have no answer to this in my script."}`;
}
