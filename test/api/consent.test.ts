import { beforeEach, describe, expect, test } from "@jest/globals";
import { CARDIAC, EMERGENCY_TEXT, HARMLESS, HELP, LIKELY, SUSPECTED } from "../helpers/safety-messages.ts";
import { type Reply, setUpService } from "../helpers/service/service.ts";

const VERSION = "2026-03";
const service = setUpService({ CONSENT_REQUIRED: VERSION });
const free = setUpService();

const AT = "2026-03-01T09:00:00Z";
const GIVEN = { given: true, at: AT, version: VERSION };
const NO_CONSENT = { success: false, error: "The patient has not consented to chats with an AI" };

let phones = 5_550_190_000;
let phone: string;
let patientId: string;
beforeEach(async () => {
  phone = String(phones++);
  ({ id: patientId } = await service.newPatient({ phone_number: phone }));
});
const record = (consent: object | null) => service.call("PATCH", `/patients/${patientId}`, { body: { consent } });

/** The numbers of requests to the model so far, verdicts included. */
const asked = () => service.model.requests.length + service.model.verdictRequests.length;

/** Expects the 403, and that no model is asked. */
async function expectRefusal(send: () => Promise<Reply>): Promise<void> {
  const before = asked();
  const { status, headers, body } = await send();
  expect([status, headers.get("x-error-code"), body]).toEqual([403, "consent-required", NO_CONSENT]);
  expect(asked()).toBe(before);
}

describe("a chat about a patient without the required consent", () => {
  const about: Record<string, () => Promise<object>> = {
    "named by id": async () => ({ patientId }),
    "named by phone number": async () => ({ phone }),
    "of a linked thread": async () => ({ threadId: await service.newThread({ patientId }) }),
    "named on a thread of nobody": async () => ({ threadId: await service.newThread(), patientId }),
  };

  test.each(Object.keys(about))("is a 403, before a model is asked: %s", async (how) => {
    const body = await about[how]?.();
    await expectRefusal(() => service.chat({ message: HARMLESS, ...body }));
    await expectRefusal(() => service.chat({ message: HARMLESS, ...body }, { accept: "text/event-stream" }));
    await record(GIVEN);
    expect((await service.chat({ message: HARMLESS, ...body })).status).toBe(200);
  });

  test.each<[what: string, consent: object]>([
    ["refused", { ...GIVEN, given: false }],
    ["of another version", { ...GIVEN, version: "2025-12" }],
  ])("is a 403 if it is %s", async (_, consent) => {
    await record(consent);
    await expectRefusal(() => service.chat({ message: HARMLESS, patientId }));
  });

  test("is a 403 from the first chat after a withdrawal on, and again answered after another consent", async () => {
    await record(GIVEN);
    const threadId = await service.newThread();
    expect((await service.chat({ message: HARMLESS, threadId, phone })).status).toBe(200);
    for (const withdrawal of [{ ...GIVEN, given: false, at: "2026-04-01T09:00:00Z" }, null]) {
      await record(withdrawal);
      await expectRefusal(() => service.chat({ message: HARMLESS, phone }));
      await expectRefusal(() => service.chat({ message: HARMLESS, threadId })); // bound to the patient, and not named
    }
    await record(GIVEN);
    expect(await service.chat({ message: HARMLESS, threadId })).toMatchObject({
      status: 200,
      body: { messageCount: 4 },
    });
  });

  test("stores nothing, and its idempotency key can be used once there is consent", async () => {
    const threadId = await service.newThread({ patientId });
    const send = () => service.chat({ message: HARMLESS, threadId }, { "idempotency-key": "once-consented" });
    await expectRefusal(send);
    expect((await service.thread(threadId)).messageCount).toBe(0);
    await record(GIVEN);
    expect(await send()).toMatchObject({ status: 200, body: { messageCount: 2 } });
  });

  test("is a 403 through OpenAI's clients, in their shape", async () => {
    const body = { model: "health-assistant", messages: [{ role: "user", content: HARMLESS }], user: patientId };
    for (const stream of [false, true]) {
      const reply = await service.call("POST", "/openai/v1/chat/completions", { body: { ...body, stream } });
      expect([reply.status, reply.headers.get("x-error-code")]).toEqual([403, "consent-required"]);
      const message = `${NO_CONSENT.error}. ${HELP.text}`;
      const error = { message, type: "invalid_request_error", param: null, code: "consent_required", help: HELP };
      expect(reply.body).toEqual({ error });
    }
  });
});

describe("a message that may be about a danger, without the required consent", () => {
  const include = ["parts", "safety"];
  const kinds = ({ parts }: Reply["body"]) => parts.map(({ kind }: { kind: string }) => kind);

  test("gets the fixed text of a certain alert, which is stored; no model is asked", async () => {
    const threadId = await service.newThread({ patientId });
    const before = asked();
    const { status, body } = await service.chat({ message: CARDIAC, threadId, include });
    expect([status, body.messageCount, kinds(body)]).toEqual([200, 2, ["alert"]]);
    expect(body).toMatchObject({ response: expect.stringMatching(EMERGENCY_TEXT), safety: { level: "emergency" } });
    const { messages } = (await service.call("GET", `/threads/${threadId}/messages`)).body;
    expect(messages).toMatchObject([{ generatedBy: "service", content: body.response }, { content: CARDIAC }]);
    const events = await service.stream({ message: CARDIAC, threadId });
    expect(events.at(-1)?.data).toMatchObject({ response: body.response, messageCount: 4 });
    expect(asked()).toBe(before);
  });

  test("gets the alert if it is likely, and whom to call if it is suspected, since no model may judge", async () => {
    const before = asked();
    expect(kinds((await service.chat({ message: LIKELY.emergency, patientId, include })).body)).toEqual(["alert"]);
    const judged = await service.chat({ message: SUSPECTED.emergency[0], patientId, include });
    expect(kinds(judged.body)).toEqual(["neutral", "unanswered"]);
    expect(asked()).toBe(before);
  });
});

describe("without the required consent", () => {
  test("a thread has no opening question, and the log says why", async () => {
    const { id } = await service.newPatient({ age: undefined, gender: undefined, phone_number: String(phones++) });
    const before = asked();
    const { status, headers, body } = await service.call("POST", "/threads", { body: { patientId: id } });
    expect([status, body.messageCount, body.initialMessage]).toEqual([201, 0, undefined]);
    expect(asked()).toBe(before);
    const lines = await service.linesOf(headers.get("x-request-id") ?? "");
    expect(lines.at(-1)).toMatchObject({ event: "request", openingQuestion: "no-consent" });
  });

  test("a person who has taken over still gets the message, because no model is asked", async () => {
    const threadId = await service.newThread({ patientId });
    await service.call("PUT", `/threads/${threadId}/handoff`, { body: { by: "Ana" } });
    expect(await service.chat({ message: HARMLESS, threadId })).toMatchObject({
      status: 200,
      body: { messageCount: 2 },
    });
    await service.call("DELETE", `/threads/${threadId}/handoff`);
    await expectRefusal(() => service.chat({ message: HARMLESS, threadId }));
  });

  test("a chat about nobody is answered", async () => {
    expect((await service.chat({ message: HARMLESS })).status).toBe(200);
    expect((await service.chat({ message: HARMLESS, phone: "5550190999" })).status).toBe(200);
  });

  test("a turn that runs while the consent is withdrawn is answered and stored, and the next one is refused", async () => {
    await record(GIVEN);
    const threadId = await service.newThread({ patientId });
    service.model.script = async () => {
      await record({ ...GIVEN, given: false });
      return { content: "An answer." };
    };
    expect(await service.chat({ message: HARMLESS, threadId })).toMatchObject({
      status: 200,
      body: { messageCount: 2 },
    });
    await expectRefusal(() => service.chat({ message: HARMLESS, threadId }));
  });

  test("a deployment that requires none answers", async () => {
    const { id } = await free.newPatient();
    expect((await free.chat({ message: HARMLESS, patientId: id })).status).toBe(200);
  });
});

describe("a patient's consent", () => {
  test("is returned as it was recorded, and a record without it has no such field", async () => {
    expect((await service.call("GET", `/patients/${patientId}`)).body.patient).not.toHaveProperty("consent");
    expect((await record(GIVEN)).body.patient.consent).toEqual(GIVEN);
    expect((await service.call("GET", `/patients/${patientId}`)).body.patient.consent).toEqual(GIVEN);
    expect((await record(null)).body.patient).not.toHaveProperty("consent");
  });

  test.each<[what: string, consent: unknown]>([
    ["without a version", { given: true, at: AT }],
    ["without a time zone", { ...GIVEN, at: "2026-03-01T09:00:00" }],
    ["with a version that may be a sentence", { ...GIVEN, version: "as read to Ann" }],
    ["that is a text", "yes"],
  ])("is a 400 %s", async (_, consent) => {
    for (const send of [
      () => record(consent as object),
      () => service.call("POST", "/patients", { body: { name: "Ann", consent } }),
    ]) {
      const { status, body } = await send();
      expect([status, body.details[0].path]).toEqual([400, expect.stringMatching(/^consent/)]);
    }
  });

  test("is never told to the model", async () => {
    await record(GIVEN);
    await service.chat({ message: HARMLESS, patientId });
    expect(service.recordSent()).toEqual({ name: "Pat Example", age: 40, gender: "female" });
  });

  test("is in the audit line of the request that records, changes or removes it, and of no other", async () => {
    const audited = async ({ headers }: Reply) =>
      (await service.linesOf(headers.get("x-request-id") ?? ""))
        .filter(({ event }) => event === "audit")
        .map(({ consent, consentAt, consentVersion }) => [consent, consentAt, consentVersion]);
    const body = { name: "Ann", consent: GIVEN };
    const given = ["given", AT, VERSION];
    const access = [undefined, undefined, undefined];
    expect(await audited(await service.call("POST", "/patients", { body }))).toEqual([given]);
    expect(await audited(await record(GIVEN))).toEqual([access, given]);
    expect(await audited(await record(GIVEN))).toEqual([access]);
    expect(await audited(await record({ ...GIVEN, given: false }))).toEqual([access, ["not-given", AT, VERSION]]);
    expect(await audited(await record(null))).toEqual([access, ["removed", undefined, undefined]]);
  });
});
