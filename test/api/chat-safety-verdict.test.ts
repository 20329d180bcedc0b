import { describe, expect, test } from "@jest/globals";
import { screen } from "../../packages/safety/screen.ts";
import { echo, type ModelReply, type ModelRequest, noDanger, verdictOf } from "../helpers/model/scripted-model.ts";
import { CARDIAC, EMERGENCY_TEXT, HARMLESS, LIKELY, SUICIDAL, SUSPECTED } from "../helpers/safety-messages.ts";
import { textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const [EMERGENCY_SUSPICION] = SUSPECTED.emergency;
const [CRISIS_SUSPICION] = SUSPECTED.crisis;
const SUSPICIONS = [EMERGENCY_SUSPICION, CRISIS_SUSPICION];

test("the messages that these tests call suspected and likely are so", () => {
  const certainties = (messages: readonly string[]) => messages.map((message) => screen(message).finding?.certainty);
  expect(certainties([...SUSPECTED.emergency, ...SUSPECTED.crisis])).toEqual(Array(4).fill("suspected"));
  expect(certainties([LIKELY.emergency, LIKELY.crisis])).toEqual(["likely", "likely"]);
});

const NEUTRAL_LINE =
  /^If this may be an emergency, call 911\. If you are thinking of harming yourself, call or text 988/;
const include = ["safety"];
const says = (content: string) => () => ({ content });

describe("a verdict on a suspected message", () => {
  test.each<[ModelReply, string, RegExp, object]>([
    [noDanger(), "I am here.", /^I am here\.$/, { level: "none", certainty: null, decidedBy: "model" }],
    [
      verdictOf("emergency", "stroke"),
      "I am here.",
      /^This could be.*Note the time.*\n\nI am here\.$/s,
      { category: "stroke" },
    ],
    [
      verdictOf("emergency", "stroke", "unsure"),
      "I am here.",
      /^This could be.*or have someone call.*988/s,
      { category: null },
    ],
    [{ content: "Crisis." }, "I am here.", /^What you describe.*\n\nI am here\.$/s, { level: "crisis" }],
    [noDanger(), "[[level: emergency stroke]]\nI am here.", /^This could be.*Note the time/s, { category: "stroke" }],
    [
      verdictOf("crisis"),
      "[[level: emergency stroke]]\nI am here.",
      /This could be.*Note the time/s,
      { category: "stroke" },
    ],
    [verdictOf("emergency", "stroke"), "[[level: none]]\nI am here.", /^This could be/, { level: "emergency" }],
  ])("decides, and the higher level of verdict %j and answer %j wins", async (verdict, answer, text, safety) => {
    service.model.verdict = () => verdict;
    service.model.script = says(answer);
    const { body } = await service.chat({ message: EMERGENCY_SUSPICION, include });
    expect(body.response).toMatch(text);
    expect(body.safety).toMatchObject(safety);
    const events = await service.stream({ message: EMERGENCY_SUSPICION, include });
    expect(textOf(events)).toMatch(text);
    expect(events.at(-1)?.data).toMatchObject({ response: textOf(events), safety });
  });

  test.each<[string, ModelReply]>([
    ["takes too long", { hang: true }],
    ["rejects the key", { status: 401 }],
    ["answers the patient instead", { content: "That sounds painful. Since when do you have it?" }],
    ["answers with invalid JSON", { raw: "<html>" }],
    ["names a level that does not exist", verdictOf("severe")],
  ])("is missing if the model %s; the answer then stands below whom to call", async (_, verdict) => {
    service.model.verdict = () => verdict;
    service.model.script = says("[[level: none]]\nI am here.");
    for (const message of SUSPICIONS) {
      const [{ status, body }, events] = await Promise.all([
        service.chat({ message, include }),
        service.stream({ message, include }),
      ]);
      expect(status).toBe(200);
      expect(body.response).toMatch(NEUTRAL_LINE);
      expect(body.response).toMatch(/\n\nI am here\.$/);
      expect(body.safety).toMatchObject({ certainty: "suspected" });
      expect(textOf(events)).toBe(body.response);
    }
  });

  test("comes before the first word of a stream, however early the model answers", async () => {
    const asked = Promise.withResolvers<void>();
    service.model.script = () => {
      asked.resolve();
      return { content: "I am here." };
    };
    service.model.verdict = async () => {
      await asked.promise;
      return { ...verdictOf("emergency", "stroke"), delayMs: 200 };
    };
    const events = await service.stream({ message: EMERGENCY_SUSPICION, include });
    expect(events.slice(0, 2).map(({ data }) => data.certainty)).toEqual(["suspected", "certain"]);
    expect(events[2]?.data.text).toMatch(EMERGENCY_TEXT);
    expect(textOf(events)).toMatch(/\n\nI am here\.$/);
  });
});

describe("a danger that is likely", () => {
  const { emergency: EMERGENCY, crisis: CRISIS } = LIKELY;
  const asked = { include: ["parts", "evidence"] };
  const kindsOf = (parts: { kind: string }[]) => parts.map(({ kind }) => kind);

  test.each([
    [EMERGENCY, /^If it gets worse.*911\.\n\nI am here\.$/s],
    [CRISIS, /^If it becomes too much.*988.*911\.\n\nI am here\.$/s],
  ])("of which the model sees nothing gets one sentence that says whom to call", async (message, text) => {
    service.model.verdict = noDanger;
    service.model.script = says("I am here.");
    const threadId = await service.newThread();
    const { body } = await service.chat({ message, threadId, ...asked }, { "idempotency-key": "likely" });
    expect(body.response).toMatch(text);
    expect(kindsOf(body.parts)).toEqual(["safety-net", "words"]);
    expect(body.safety).toMatchObject({ certainty: "likely", decidedBy: "model" });
    const again = await service.chat({ message, threadId, ...asked }, { "idempotency-key": "likely" });
    expect(again.body).toEqual(body);
    const events = await service.stream({ message, include: ["evidence"] });
    expect(textOf(events)).toBe(body.response);
    expect(events.filter(({ event }) => event === "safety").map(({ data }) => data.decidedBy)).toEqual([
      "classifier",
      "model",
    ]);
    const { messages } = (await service.call("GET", `/threads/${threadId}/messages?include=parts,safety`)).body;
    expect(messages.map(({ safety }: { safety?: { certainty: string } }) => safety?.certainty)).toContain("suspected");
    expect(JSON.stringify(messages)).not.toMatch(/likely|evidence/);
  });

  test.each<[string, () => ModelReply]>([
    ["sees it, too", () => verdictOf("emergency", "stroke")],
    ["gives no verdict", () => ({ hang: true })],
    ["contradicts itself", () => verdictOf("none", "stroke")],
  ])("gets the alert if the model %s", async (_, verdict) => {
    service.model.verdict = verdict;
    service.model.script = says("I am here.");
    const { body } = await service.chat({ message: EMERGENCY, ...asked });
    expect(kindsOf(body.parts)).toEqual(["alert", "words"]);
    expect(body.safety).toMatchObject({ level: "emergency", certainty: "certain" });
    expect(textOf(await service.stream({ message: EMERGENCY }))).toBe(body.response);
  });

  test("gets the alert if the model fails altogether, or a person has taken over", async () => {
    service.model.verdict = undefined;
    service.model.script = () => ({ status: 401 });
    const failed = await service.chat({ message: EMERGENCY, ...asked });
    expect([failed.status, kindsOf(failed.body.parts)]).toEqual([200, ["alert"]]);
    const threadId = await service.newThread();
    await service.call("PUT", `/threads/${threadId}/handoff`, { body: { by: "Kim" } });
    const held = await service.chat({ message: EMERGENCY, threadId, ...asked });
    expect(kindsOf(held.body.parts)).toEqual(["alert", "held"]);
  });

  test("is suspected for a caller who does not ask for the evidence", async () => {
    service.model.verdict = noDanger;
    const { body } = await service.chat({ message: EMERGENCY, include });
    expect(body.safety).toEqual({
      level: "emergency",
      category: expect.any(String),
      certainty: "suspected",
      decidedBy: "model",
      cautions: [],
    });
  });
});

describe("the request for a verdict", () => {
  test("contains the last messages and nothing else about the patient", async () => {
    const { id: patientId } = await service.newPatient({ name: "Pat Example", conditions: ["a rare condition"] });
    const threadId = await service.newThread({ patientId });
    for (const message of ["first", "second", "third", "fourth", EMERGENCY_SUSPICION]) {
      await service.chat({ message, threadId });
    }
    const [request] = service.model.verdictRequests.slice(-1);
    const { messages = [], ...parameters } = request?.body ?? {};
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    const sent: { content: string }[] = JSON.parse(messages[1]?.content ?? "");
    expect(sent.map(({ content }) => content)).toEqual([
      ...["second", "answer to: second", "third", "answer to: third", "fourth", "answer to: fourth"],
      EMERGENCY_SUSPICION,
    ]);
    expect(JSON.stringify(messages)).not.toMatch(/Pat Example|rare condition|\[\[level/);
    expect(parameters).toEqual({
      model: expect.any(String),
      max_completion_tokens: 100,
      store: false,
      response_format: { type: "json_schema", json_schema: expect.objectContaining({ name: "verdict", strict: true }) },
    });
  });

  test("is made only for a suspicion, and its tokens count", async () => {
    const before = service.model.verdictRequests.length;
    for (const [message, inputTokens] of [
      [HARMLESS, 10],
      [CARDIAC, 10],
      [EMERGENCY_SUSPICION, 20],
    ] as const) {
      const id = `verdict-${inputTokens}-${message.length}`;
      await service.chat({ message }, { "x-request-id": id });
      expect((await service.linesOf(id)).at(-1)).toMatchObject({
        "gen_ai.usage.input_tokens": inputTokens,
        "gen_ai.usage.output_tokens": inputTokens / 2,
      });
    }
    expect(service.model.verdictRequests).toHaveLength(before + 1);
  });
});

describe("after an alert, when the model fails,", () => {
  const LATER = [
    "can I just take an aspirin and wait",
    "thank you, they are here",
    "ok",
    HARMLESS,
    "how much does the ambulance cost?",
  ];
  const failing = () => ({ status: 401 });

  /** The status of each later message, and whether the response says whom to call. */
  async function later(body: object): Promise<[number, boolean][]> {
    service.model.script = failing;
    service.model.verdict = undefined;
    const replies: [number, boolean][] = [];
    for (const message of LATER) {
      const { status, body: reply } = await service.chat({ message, ...body });
      replies.push([status, /\b911\b/.test(reply.response)]);
    }
    return replies;
  }

  test.each<[string, string, string]>([
    ["an emergency", CARDIAC, "I am here."],
    ["a crisis", SUICIDAL, "I am here."],
    ["an alert that the model raised", HARMLESS, "[[level: emergency]]\nI am here."],
  ])(
    "every later turn of a thread is answered with whom to call, however long after %s",
    async (_, message, answer) => {
      const threadId = await service.newThread();
      service.model.script = says(answer);
      const first = await service.chat({ message, threadId });
      service.model.script = echo;
      for (let turn = 0; turn < 12; turn++) {
        await service.chat({ message: "When does the clinic open?", threadId });
      }
      expect(await later({ threadId })).toEqual(LATER.map(() => [200, true]));
      const conversationHistory = [
        { role: "user", content: message },
        { role: "assistant", content: first.body.response },
        ...["one", "two", "three", "four"].map((content) => ({ role: "user", content })),
      ];
      expect(await later({ conversationHistory })).toEqual(LATER.map(() => [200, true]));
    },
  );

  test("a conversation without one still gets the documented error", async () => {
    const threadId = await service.newThread();
    await service.chat({ message: HARMLESS, threadId });
    service.model.script = failing;
    expect((await service.chat({ message: "ok", threadId })).status).toBe(500);
  });
});

describe("a model that imitates its earlier answers", () => {
  /** Begins with a marker only if all earlier answers in the prompt do. */
  const imitating = ({ messages }: ModelRequest) => {
    const earlier = messages.filter(({ role }) => role === "assistant");
    const isMarked = earlier.every(({ content }) => content.startsWith("[[level: "));
    const level = messages.at(-1)?.content === "now it is serious" ? "emergency stroke" : "none";
    return { content: `${isMarked ? `[[level: ${level}]]\n` : ""}I am here.` };
  };

  test.each(["on a thread", "with a history from the caller"])("goes on to name the level %s", async (form) => {
    service.model.script = imitating;
    const threadId = form === "on a thread" ? await service.newThread() : undefined;
    const conversationHistory: { role: string; content: string }[] = [];
    for (const message of ["hello", "now it is serious", "and what then?", HARMLESS, "now it is serious"]) {
      const { body } = await service.chat({ message, threadId, conversationHistory });
      expect(EMERGENCY_TEXT.test(body.response)).toBe(message === "now it is serious");
      expect(body.response).not.toContain("[[");
      conversationHistory.push({ role: "user", content: message }, { role: "assistant", content: body.response });
    }
    if (threadId !== undefined) {
      const { body } = await service.call("GET", `/threads/${threadId}/messages`);
      expect(body.messages).toHaveLength(10);
      expect(JSON.stringify(body)).not.toContain("[[");
    }
  });

  test("sees the level of each of them", async () => {
    const threadId = await service.newThread();
    service.model.script = imitating;
    for (const message of ["hello", "now it is serious", "ok"]) {
      await service.chat({ message, threadId });
    }
    const sent = service.model.requests.at(-1)?.body.messages ?? [];
    const answers = sent.filter(({ role }) => role === "assistant").map(({ content }) => content.split("\n")[0]);
    expect(answers).toEqual(["[[level: none]]", "[[level: emergency stroke]]"]);
  });
});
