import { randomBytes, randomInt } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { completion, echo, type ModelReply, type ModelRequest } from "../helpers/model/scripted-model.ts";
import { API_KEY, type CallOptions, setUpService } from "../helpers/service/service.ts";

const service = setUpService({}); // of its own, because every line is counted

/** Sent texts that must not appear in the log. Phone numbers are kept as digits. */
const marks: string[] = [API_KEY, "key-of-the-model"];
/** Calls to the service. Startup is the first: it reads the OpenAPI document. */
let calls = 1;

/**
 * Returns a unique text. Its letters form no word: the safety screen takes about one in eighty random hexadecimal texts
 * for a sign of danger, and a chat with such a message is answered even if the model fails.
 */
function mark(what: string): string {
  const text = `${what}-${Array.from({ length: 24 }, () => "qxz"[randomInt(3)]).join("")}`;
  marks.push(text);
  return text;
}

/** Returns a unique phone number of 10 digits. */
function markPhone(): string {
  const digits = `555${String(randomBytes(4).readUInt32BE() % 1e7).padStart(7, "0")}`;
  marks.push(digits);
  return digits;
}

async function call(method: string, path: string, options?: CallOptions) {
  calls++;
  return service.call(method, path, options);
}

/** Returns the functions' log once it has a line for each call. */
async function completeLog(): Promise<string> {
  const requestLines = () => service.logs.filter((line) => line.includes('"event":"request"')).length;
  expect(await eventually(requestLines, (lines) => lines >= calls)).toBe(calls);
  return service.logs.join("\n");
}

async function expectNoMarksInLog(): Promise<void> {
  const log = await completeLog();
  expect(marks.filter((text) => log.includes(text))).toEqual([]);
}

function markedPatient() {
  return {
    name: mark("name"),
    phone_number: `+1 ${markPhone()}`,
    gender: mark("gender"),
    race: mark("race"),
    conditions: [mark("condition")],
    medications: [{ name: mark("medication") }],
    allergies: mark("allergy"),
    notes: [{ [mark("note-key")]: mark("note") }],
    refill_info: { pharmacy: mark("pharmacy") },
  };
}

function markedChat() {
  return {
    message: mark("message"),
    conversationHistory: [{ role: "user", content: mark("history") }],
    patientData: { name: mark("override-name"), phone_number: markPhone(), category_note: mark("category") },
  };
}

describe("the log", () => {
  test("contains nothing that was said, stored or sent", async () => {
    service.model.script = () => ({ content: mark("answer") });
    const patient = markedPatient();
    const { id } = (await call("POST", "/patients", { body: patient })).body.patient;
    await call("GET", `/patients/${id}?q=${mark("query")}`);
    const opened = await call("POST", "/threads", {
      body: { phone: patient.phone_number, metadata: { [mark("metadata-key")]: mark("metadata") } },
    });
    expect(opened.body.initialMessage).toBe(marks.at(-1));
    const { threadId } = opened.body;
    await call("POST", "/chat", { body: { ...markedChat(), threadId, phone: patient.phone_number } });
    await call("POST", "/chat", { body: { ...markedChat(), patientId: id } });
    await call("GET", `/threads/${threadId}`);
    await call("DELETE", `/threads/${threadId}`);
    await call("GET", `/openapi.json?q=${mark("query")}`);
    await expectNoMarksInLog();
  });

  test("contains nothing from a rejected request", async () => {
    const patient = markedPatient();
    await call("POST", "/patients", { body: patient });
    const refused = [
      await call("POST", "/patients", { body: { name: mark("name"), phone_number: patient.phone_number } }),
      await call("POST", "/patients", { body: { name: { [mark("name")]: mark("name") } } }),
      await call("POST", "/patients", { body: { name: mark("name"), phone_number: `${markPhone()}99` } }),
      await call("POST", "/patients", { body: `{"name":"${mark("name")}` }),
      await call("POST", "/threads", { body: { patientId: mark("id") } }),
      await call("POST", "/threads", { body: { metadata: [mark("metadata")] } }),
      await call("POST", "/threads", { body: `{"metadata":${mark("metadata")}}` }),
      await call("POST", "/chat", { body: { ...markedChat(), threadId: mark("thread") } }),
      await call("POST", "/chat", { body: { ...markedChat(), patientId: mark("id") } }),
      await call("POST", "/chat", { body: { ...markedChat(), phone: [markPhone()] } }),
      await call("POST", "/chat", { body: `{"message":"${mark("message")}` }),
      await call("POST", "/chat", { body: { message: mark("message").repeat(1000) } }),
      await call("POST", "/chat", { body: { message: "hello", padding: mark("padding").repeat(20_000) } }),
      await call("GET", `/threads/${mark("thread")}`),
      await call("DELETE", `/threads/${mark("thread")}`),
      await call("GET", `/patients/phone%231${markPhone()}`),
    ];
    expect(refused.every(({ status }) => status >= 400 && status < 500)).toBe(true);
    await expectNoMarksInLog();
  });

  test("contains no key, valid or invalid", async () => {
    await call("POST", "/chat", { body: markedChat(), key: mark("key") });
    await call("GET", `/threads/12345?api_key=${mark("key")}`, { key: null });
    await call("GET", `/threads/12345?api_key=${API_KEY}`, { key: null });
    await call("GET", "/threads/12345", { headers: { authorization: `Bearer ${mark("token")}` } });
    await expectNoMarksInLog();
  });

  /** The prompt, without the markers of its instructions, because an answer with one is an alert. */
  const said = ({ messages }: ModelRequest) =>
    messages.map(({ content }) => content.replaceAll(/\[\[level: |\]\]/g, "")).join("\n");
  test.each<[string, (request: ModelRequest) => ModelReply]>([
    [
      "repeats it in an error",
      (asked) => ({ status: 400, body: { error: { message: said(asked), type: "invalid" } } }),
    ],
    ["repeats it in an error of another shape", (asked) => ({ status: 422, body: { detail: [asked.messages] } })],
    ["repeats it in an error that is retried", (asked) => ({ status: 500, body: { error: { message: said(asked) } } })],
    ["repeats it as text", (asked) => ({ raw: said(asked) })],
    [
      "repeats it in an interrupted answer",
      (asked) => ({ raw: JSON.stringify(completion(said(asked))).slice(0, -20) }),
    ],
    [
      "repeats it in a filtered answer",
      (asked) => ({ raw: JSON.stringify(completion(said(asked), "content_filter")) }),
    ],
    [
      "repeats it in a refusal",
      (asked) => ({ raw: JSON.stringify({ choices: [{ message: { content: null, refusal: said(asked) } }] }) }),
    ],
    [
      "repeats it in lines that look like stack frames",
      (asked) => ({ status: 400, body: { error: { message: `\nat ${said(asked).replaceAll(" ", "\nat ")}` } } }),
    ],
    ["repeats it as broken JSON", (asked) => ({ raw: `{"a":\nat ${said(asked)}` })],
    [
      "repeats it in codes and ids",
      (asked) => ({
        status: 400,
        headers: { "x-request-id": encodeURIComponent(said(asked)).slice(0, 2000) },
        body: { error: { message: "no", code: said(asked), type: said(asked), param: said(asked) } },
      }),
    ],
    ["returns an empty answer", () => ({ content: "" })],
    ["drops the connection", () => ({ drop: true })],
  ])("contains nothing that was said when the model %s", async (_, script) => {
    service.model.script = echo;
    const { id } = (await call("POST", "/patients", { body: markedPatient() })).body.patient;
    service.model.script = script;
    expect((await call("POST", "/threads", { body: { patientId: id } })).status).toBe(201);
    expect((await call("POST", "/chat", { body: { ...markedChat(), patientId: id } })).body.response).toMatch(/911/);
    await expectNoMarksInLog();
  });
});

describe("a request to the model", () => {
  const CLINICAL = {
    name: "Pat Example",
    age: 40,
    gender: "female",
    height: "170 cm",
    weight: "65 kg",
    race: "any",
    blood_type: "A-",
    conditions: ["asthma"],
    allergies: "nuts",
    medications: [{ name: "aspirin" }],
    notes: [{ text: "prefers mornings" }],
    refill_info: { count: 2 },
  };

  test("contains the record's clinical facts and nothing else of it: no phone number, access code, plan or key", async () => {
    service.model.script = echo;
    const phone = markPhone();
    const body = { ...CLINICAL, phone_number: phone, reminders_enabled: true };
    const { id } = (await call("POST", "/patients", { body })).body.patient;
    const { threadId } = (await call("POST", "/threads", { body: { phone: `(555) ${phone.slice(3)}` } })).body;
    const patientData = { phone_number: phone, reminders_enabled: true };
    for (const naming of [{ patientId: id }, { phone }, { threadId }, { threadId, phone, patientData }]) {
      await call("POST", "/chat", { body: { message: "hello", ...naming } });
      const asked = service.model.requests.at(-1);
      const record = /<patient_record>\n(.*)\n<\/patient_record>$/s.exec(asked?.body.messages[0]?.content ?? "")?.[1];
      expect(JSON.parse(record ?? "")).toEqual(CLINICAL);

      const everything = JSON.stringify(asked);
      for (const secret of [phone, phone.slice(3), id, API_KEY, "access_code", "subscription_plan", "apple_messages"]) {
        expect(everything).not.toContain(secret);
      }
    }
  });

  test("contains no phone number when it asks for an opening question", async () => {
    service.model.script = echo;
    const phone = markPhone();
    await call("POST", "/patients", { body: { name: "Pat Example", phone_number: phone } });
    expect((await call("POST", "/threads", { body: { phone } })).body).toHaveProperty("initialMessage");
    expect(JSON.stringify(service.model.requests.at(-1))).not.toContain(phone.slice(3));
  });
});
