import "../../helpers/service/help-lines.ts";
import { describe, expect, test } from "@jest/globals";
import { scriptedAnswer } from "../../../local/scripted-answer.ts";
import { screen } from "../../../packages/safety/screen.ts";
import { sourcesNotice } from "../../../shared/chat/clinic-sources.ts";
import { instructions, screenNotice } from "../../../shared/chat/instructions.ts";
import { clinicOfStage } from "../../../shared/clinic.ts";

type Messages = Parameters<typeof scriptedAnswer>[0]["messages"];

const prompt = (message: string, record?: object, notices: string[] = []): Messages => [
  {
    role: "system",
    content: `${instructions(clinicOfStage())}\n\n${record ? `<patient_record>\n${JSON.stringify(record)}\n</patient_record>` : ""}`,
  },
  { role: "user", content: message },
  ...notices.map((content) => ({ role: "system", content })),
];

/** The answer to a message, as the user reads it. */
const answerTo = (...parameters: Parameters<typeof prompt>) =>
  scriptedAnswer({ messages: prompt(...parameters) }).replace("[[level: none]]\n", "");

/** Everyday turns, by what the answer to each says. */
const TURNS: [answer: RegExp, messages: string[]][] = [
  [/^Hello!/, ["Hi", "Good morning!", "Hello there, how are you?", "Hey 👋", "are you there?", "testing"]],
  [/^I am well/, ["How are you?", "How's it going?"]],
  [/^That is good to hear/, ["I'm fine, thanks", "I feel better today"]],
  [
    /^You are welcome/,
    ["Thanks", "Thx!", "Thank you so much for your help", "That helped, thanks!", "Great, thank you"],
  ],
  [/^Goodbye/, ["Bye", "Bye bye!", "See you later", "Good night", "Have a nice day!"]],
  [/^All right/, ["ok", "Sure.", "No problem"]],
  [/cannot tell what you have/, ["Do I have covid?", "What is wrong with me?"]],
  [/whole sentence/, ["Yes", "no", "I don't know"]],
  [/take that into account/, ["34", "I'm 34 and female", "45 year old man", "I'd rather not say"]],
  [
    /no person reads this/,
    ["Who are you?", "Are you a robot?", "Are you ChatGPT?", "What is this?", "Am I talking to a human?"],
  ],
  [
    /Ask me, for example/,
    ["What can you do?", "Help", "How does this work?", "I have a question", "What can I ask you?"],
  ],
  [
    /^It is good that you look after somebody/,
    ["Hello, I am worried about my son", "I'm a bit worried about my old mother lately"],
  ],
  [/not a doctor/, ["Are you a doctor?", "Can you diagnose me?", "Can I trust you?", "Are you a real nurse?"]],
  [
    /good idea if you prefer it/,
    ["Can I talk to a real person?", "I'd like to speak to someone", "Connect me to a nurse, please"],
  ],
  [
    /your clinic does that/,
    [
      "Can I book an appointment?",
      "Hi, I'd like to schedule an appointment, please. Thanks!",
      "How do I cancel my appointment?",
      "I need to see a doctor tomorrow",
      "I need an appointment with Dr. Smith for next Tuesday at 3 pm",
      "Can I reschedule my appointment to Friday morning?",
      "When is my next appointment?",
      "Do I need an appointment?",
    ],
  ],
  [
    /cannot order or renew/,
    [
      "I need a refill",
      "Can you refill my prescription?",
      "I'm running out of my blood pressure medication",
      "How do I get a refill of my inhaler?",
    ],
  ],
  [
    /which insurance/,
    [
      "Do you accept Medicaid?",
      "Do you take Blue Cross?",
      "Is this covered by Medicare?",
      "Does my insurance cover this?",
    ],
  ],
  [
    /what anything costs/,
    ["How much does a visit cost?", "Is it free?", "What are your prices?", "How can I pay my bill?"],
  ],
  [
    /when the clinic is open/,
    [
      "What are your opening hours?",
      "Are you open on Sundays?",
      "Are you open today?",
      "When do you close?",
      "When are you open on public holidays?",
    ],
  ],
  [/where the clinic is/, ["Where are you located?", "What's your address?", "Is there parking?"]],
  [/clinic's phone number/, ["What's your phone number?", "How can I reach my doctor?"]],
  [/what the clinic offers/, ["Do you offer telehealth?", "I need a sick note", "Are you accepting new patients?"]],
  [
    /cannot see test results/,
    ["Are my test results back?", "When will I get my lab results?", "Explain my results please"],
  ],
  [
    /leaflet in the package lists/,
    ["What are the side effects of lisinopril?", "Does metformin have side effects?", "Is this a side effect?"],
  ],
  [
    /no record of your conditions/,
    ["What conditions do I have?", "What does my record say?", "What do you know about me?"],
  ],
  [/will correct the record/, ["My address has changed", "I moved", "I want to update my phone number"]],
  [
    /Most adults can take/,
    ["Can I take ibuprofen?", "Is paracetamol safe for me?", "I have a headache", "My head hurts"],
  ],
  [
    /script cannot weigh it/,
    [
      "I have asthma. Can I take ibuprofen?",
      "I'm pregnant, can I take Tylenol?",
      "Can I take ibuprofen if I have kidney disease?",
      "I take blood thinners. Is ibuprofen okay for me?",
    ],
  ],
  [
    /cannot check what goes together/,
    ["Can I drink alcohol with antibiotics?", "Can I take ibuprofen and aspirin together?"],
  ],
  [/never take more/, ["How much ibuprofen can I take?", "What is the maximum dose?", "When should I take it?"]],
  [/Do not take two at once/, ["I forgot to take my medication", "What should I do if I miss a dose?"]],
  [
    /script cannot judge a sick child/,
    [
      "My child has a fever",
      "My daughter has a fever of 39, what should I do?",
      "My 3 year old has a fever",
      "My son is sick",
    ],
  ],
  [/sorry that you are in pain/, ["My back hurts", "I have a toothache", "My knee has been hurting for two weeks"]],
  [
    /hope that you feel better/,
    [
      "I have a cold",
      "I've had a cough for three days",
      "I feel sick",
      "I have a rash",
      "My throat is sore",
      "My stomach is upset",
      "I'm not feeling well",
      "I have a runny nose and a cough",
      "I threw up this morning",
      "I sprained my ankle",
      "When will I feel better?",
    ],
  ],
  [
    /same hours every day/,
    ["I can't sleep", "How can I sleep better?", "I slept badly last night", "I have trouble sleeping at night"],
  ],
  [
    /sorry that you feel this way/,
    ["I feel sad", "I'm stressed", "I feel anxious all the time", "What helps with anxiety?"],
  ],
  [/call 911 now/, ["Is this an emergency?", "Should I call 911?", "Should I go to the ER?", "Should I see a doctor?"]],
  [/privacy notice/, ["Is this private?", "Is my data safe?", "Who can read this?", "Do you store my messages?"]],
  [
    /script is in English/,
    ["Do you speak Spanish?", "Can you translate this into French?", "Can you answer in German?"],
  ],
  [/vaccination card/, ["Should I get a flu shot?", "Which vaccines do I need?"]],
  [/agree on a plan with your doctor/, ["How can I lose weight?", "How do I quit smoking?", "What should I eat?"]],
  [/not in my script/, ["Tell me a joke", "I'm bored", "What's the weather like?", "I love you"]],
  [
    /understand little/,
    ["You are useless", "This is useless", "Say that again", "I don't understand", "That didn't help"],
  ],
];

const ROWS = TURNS.flatMap(([answer, messages]) => messages.map((message) => [message, answer] as const));

describe("an everyday turn", () => {
  test.each(ROWS)("is answered: %s", (message, answer) => {
    expect(answerTo(message)).toMatch(answer);
    expect(answerTo(` ${message.toUpperCase()} `)).toMatch(answer);
  });

  test("shows nothing to the safety screen, with few exceptions, which get what is said where danger is suspected", () => {
    const flagged = ROWS.filter(([message]) => screen(message).finding);
    expect(flagged.length).toBeLessThan(ROWS.length / 20);
  });

  test.each([
    "Thank you but my chest still hurts",
    "Hello, I cannot breathe",
    "Bye, I can't go on",
    "My throat is sore and closing up",
    "I threw up blood this morning",
    "I sprained my ankle and my foot is cold and blue",
    "I do not feel well, my chest is tight",
    "ok but it is getting worse",
    "What are your opening hours, I took too many pills",
    "I feel sad and I have a rope",
    "My child has a fever and a stiff neck",
    "I can't sleep because he hits me",
    "Can I book an appointment for my funeral",
    "I feel sad. Goodbye.",
  ])("is never a part of a message: %s", (message) => {
    const answer = answerTo(message);
    expect(TURNS.filter(([known]) => known.test(answer))).toEqual([]);
    expect(answer).toMatch(/script|No AI|no answer/i);
  });

  test("of several known sentences has an answer to each", () => {
    const answer = answerTo("Hi! What are your opening hours? Do you accept Medicaid?");
    expect(answer).toMatch(/when the clinic is open.*\n\n.*which insurance/s);
  });
});

describe("the record", () => {
  const record = {
    conditions: ["asthma", { name: "hay fever" }],
    allergies: "latex",
    medications: [{ name: "albuterol" }],
  };

  test.each([
    "What's in my record?",
    "Am I allergic to anything?",
    "What medications am I on?",
    "Do you know my conditions?",
  ])("is the answer to %s", (message) => {
    expect(answerTo(message, record)).toContain(
      "- Conditions: **asthma** and **hay fever**\n- Allergies: **latex**\n- Medicines: **albuterol**",
    );
  });

  test.each([
    "Can I take ibuprofen?",
    "I have asthma. Can I take ibuprofen?",
    "My back hurts",
    "How can I lose weight?",
  ])("is named in the answer to %s", (message) => {
    expect(answerTo(message, record)).toContain(
      "Your record lists **asthma** and **hay fever**, and has entries about **medicines** and **allergies**.",
    );
  });

  test.each([{ conditions: ["asthma"] }, { medications: [{}] }, { conditions: { code: 1 } }, { notes: ["x"] }])(
    "is never said to have nothing when it has something: %j",
    (some) => {
      expect(answerTo("Can I take ibuprofen?", some)).toMatch(/Your record (lists|has entries)/);
    },
  );

  test("that does not know of allergies is not said to list any", () => {
    expect(answerTo("Can I take ibuprofen?", { allergies: "not known" })).not.toMatch(/entries about/);
  });
});

describe("the clinic's information", () => {
  const HOLIDAYS = [
    { number: 1, title: "Opening hours", headings: [], text: "On public holidays, the clinic is closed." },
  ];
  const notice = sourcesNotice(
    HOLIDAYS.map((passage) => ({ ...passage, sourceId: "hours" })) as never,
    clinicOfStage(),
  );

  test.each(["When are you open on public holidays?", "Are you open on holidays?", "What happens on Easter Monday?"])(
    "is quoted in the answer to %s",
    (message) => {
      expect(answerTo(message, undefined, [notice])).toBe("On public holidays, the clinic is closed. [1]");
    },
  );

  test.each([
    "Good morning!",
    "Thanks",
    "Bye",
    "Do you accept Medicaid?",
    "How much does a visit cost?",
    "My back hurts",
  ])("that is about something else is no answer to %s", (message) => {
    expect(answerTo(message, undefined, [notice])).not.toContain("holidays");
  });
});

describe("a message without an answer", () => {
  const UNKNOWN = [
    "What is diabetes?",
    "My dog ate my homework",
    "Explain quantum physics",
    "Why is the sky blue?",
    "xyzzy",
  ];

  test("gets one sentence, always the same for it, and another for most others", () => {
    const answers = UNKNOWN.map((message) => answerTo(message));
    expect(UNKNOWN.map((message) => answerTo(message))).toEqual(answers);
    expect(new Set(answers).size).toBeGreaterThan(2);
    for (const answer of answers) {
      expect(answer).not.toContain("\n");
    }
  });

  test("does not get the sentence before again", () => {
    const [first = ""] = UNKNOWN;
    const before = answerTo(first);
    const messages = [...prompt(first), { role: "assistant", content: before }, { role: "user", content: first }];
    expect(scriptedAnswer({ messages })).not.toContain(before);
  });

  test.each([
    ["¿Qué es la diabetes?", /ninguna IA/],
    ["Was ist Diabetes und was kann man dagegen tun?", /keine KI/],
    ["Что такое диабет?", /ИИ/],
  ])("is told so in its language: %s", (message, answer) => {
    expect(answerTo(message)).toMatch(answer);
  });
});

test.each(["My back hurts", "I feel sad", "Can I book an appointment?", "What are your opening hours?", "Bye"])(
  "where danger is suspected, or was recognised before, no script answers: %s",
  (message) => {
    const alert = { level: "emergency", category: "stroke" } as const;
    const finding = { alert, certainty: "likely", decidedBy: "rule", categoryCertain: true, evidence: [] } as const;
    const suspected = screenNotice({ language: "en", finding: { ...finding, evidence: [] } }, "") ?? "";
    const earlier = screenNotice({ language: "en", finding: undefined, earlierAlert: alert }, "") ?? "";
    for (const notice of [suspected, earlier]) {
      expect(answerTo(message, undefined, [notice])).toMatch(/^No AI is connected/);
    }
  },
);
