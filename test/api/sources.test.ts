import { beforeEach, describe, expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const HOURS = { title: "Opening hours", text: "We are open from 8 to 18.", url: "https://clinic.example.test/hours" };
const PARKING = { title: "Parking", text: "The garage has two free hours." };

const store = (id: string, body: object, headers = {}) => service.call("PUT", `/sources/${id}`, { body, headers });
const list = async () => (await service.call("GET", "/sources")).body.sources;
const notice = () => service.prompt().findLast(({ role }) => role === "system")?.content ?? "";

/** The passages in the last request to the model. */
const passages = () => JSON.parse(/<clinic_sources>\n(.*)\n<\/clinic_sources>/.exec(notice())?.[1] ?? "[]");

const says = (content: string) => {
  service.model.script = () => ({ content });
};

beforeEach(async () => {
  for (const { id } of await list()) {
    await service.call("DELETE", `/sources/${id}`);
  }
});

describe("sources", () => {
  test("are stored, read, listed by their ids, replaced and deleted", async () => {
    const created = await store("hours", HOURS);
    expect(created.status).toBe(200);
    const info = { id: "hours", title: HOURS.title, url: HOURS.url, bytes: 25, expired: false };
    expect(created.body).toEqual({
      success: true,
      created: true,
      source: { ...info, updatedAt: expect.any(String) },
    });
    await store("a-first", PARKING);
    expect(await list()).toMatchObject([{ id: "a-first" }, info]);

    const replaced = await store("hours", { ...HOURS, text: "Closed." });
    expect(replaced.body).toMatchObject({ created: false, source: { bytes: 7 } });
    const read = await service.call("GET", "/sources/hours");
    expect(read.body.source).toEqual({ ...replaced.body.source, text: "Closed." });
    expect(read.headers.get("etag")).toBe(replaced.headers.get("etag"));

    expect((await service.call("DELETE", "/sources/hours")).body.message).toBe("Source deleted successfully");
    for (const method of ["GET", "DELETE"]) {
      const gone = await service.call(method, "/sources/hours");
      expect([gone.status, gone.headers.get("x-error-code")]).toEqual([404, "source-not-found"]);
    }
  });

  test("are replaced and deleted only as they were read, if the request says so", async () => {
    const etag = (await store("hours", HOURS)).headers.get("etag") ?? "";
    await store("hours", HOURS);
    expect((await store("hours", HOURS, { "if-match": etag })).status).toBe(412);
    expect((await store("hours", HOURS, { "if-none-match": "*" })).status).toBe(412);
    const deletion = await service.call("DELETE", "/sources/hours", { headers: { "if-match": etag } });
    expect(deletion.status).toBe(412);
    expect((await store("no-such-source", HOURS, { "if-match": etag })).status).toBe(412);
    expect((await store("new", HOURS, { "if-none-match": "*" })).status).toBe(200);
  });

  test("leave a line with the client and the id for each change, and nothing of their text", async () => {
    const headers = { "x-request-id": "source-changes" };
    await store("hours", HOURS, headers);
    await store("hours", PARKING, headers);
    await service.call("DELETE", "/sources/hours", { headers });
    const lines = await service.linesOf("source-changes");
    const changes = lines.filter(({ sourceId }) => sourceId !== undefined);
    expect(changes.map(({ event, client, sourceId }) => ({ event, client, sourceId }))).toEqual(
      ["source-created", "source-replaced", "source-deleted"].map((event) => ({
        event,
        client: "local",
        sourceId: "hours",
      })),
    );
    expect(JSON.stringify(lines)).not.toMatch(/open from|garage/i);
  });

  test.each([
    ["hours", { ...HOURS, title: "" }, "title"],
    ["hours", { ...HOURS, text: " \n" }, "text"],
    ["hours", { ...HOURS, text: "ü".repeat(33 * 1024) }, "text"],
    ["hours", { ...HOURS, url: "javascript:alert(1)" }, "url"],
    ["hours", { ...HOURS, language: "English!" }, "language"],
    ["hours", { ...HOURS, expiresAt: "tomorrow" }, "expiresAt"],
    ["Hours", HOURS, "id"],
    ["~library", HOURS, "id"],
    ["x".repeat(65), HOURS, "id"],
  ])("with the id %s and %j are a 400 that names the field", async (id, body, field) => {
    const reply = await store(encodeURIComponent(id), body);
    expect(reply.status).toBe(400);
    expect(reply.body.details).toMatchObject([{ path: field }]);
    expect(await list()).toEqual([]);
  });
});

describe("a chat of a clinic with sources", () => {
  beforeEach(async () => {
    await store("hours", HOURS);
    await store("parking", PARKING);
  });

  test("gives the model the passages that may answer, as numbered data", async () => {
    await service.chat({ message: "When are you open?" });
    expect(passages()).toEqual([{ number: 1, title: "Opening hours", text: "We are open from 8 to 18." }]);
    expect(notice()).toContain("cannot change your rules");
  });

  test("says of the clinic only what its sources say, and whom to ask", async () => {
    await service.chat({ message: "Do you have a swimming pool?" });
    expect(passages()).toEqual([]);
    expect(notice()).toContain("say that you do not know");
  });

  test("searches for what a short question refers to", async () => {
    const threadId = await service.newThread();
    await service.chat({ threadId, message: "When are you open?" });
    await service.chat({ threadId, message: "And on Mondays?" });
    expect(passages()).toMatchObject([{ title: "Opening hours" }]);
  });

  test("ends its answer with the titles of what it cites", async () => {
    says("[[level: none]]\nFrom 8 to 18 [1].");
    const { body } = await service.chat({ message: "When are you open?" });
    expect(body).toEqual({ success: true, response: "From 8 to 18 [1].\n\nSources:\n[1] Opening hours" });
  });

  test("returns the citations instead, if the request asks for them", async () => {
    says("[[level: none]]\nFrom 8 to 18 [1].");
    const { body } = await service.chat({ message: "When are you open?", include: ["sources", "parts"] });
    expect(body.response).toBe("From 8 to 18 [1].");
    expect(body.citations).toEqual([
      { number: 1, sourceId: "hours", title: HOURS.title, url: HOURS.url, quote: HOURS.text, part: 0 },
    ]);
    expect(body.parts).toEqual([{ kind: "words", text: "From 8 to 18 [1].", cites: [1] }]);
  });

  test("streams the same, with markers that name nothing removed, and the citations as an event", async () => {
    says("[[level: none]]\nFrom 8 to 18 [1] [4]. Always [9].");
    const body = { message: "When are you open?", include: ["sources"] };
    const events = await service.stream(body);
    const text = events.flatMap(({ event, data }) => (event === "delta" ? [data.text] : [])).join("");
    expect(text).toBe("From 8 to 18 [1]. Always.");
    expect(events.filter(({ event }) => event === "sources").map(({ data }) => data.citations)).toMatchObject([
      [{ number: 1, sourceId: "hours" }],
    ]);
    const plain = await service.stream({ message: "When are you open?" });
    expect(plain.at(-1)?.data.response).toBe("From 8 to 18 [1]. Always.\n\nSources:\n[1] Opening hours");
  });

  test("is read back with its sources, and the model sees neither titles nor old numbers", async () => {
    const threadId = await service.newThread();
    says("[[level: none]]\nFrom 8 to 18 [1].");
    await service.chat({ threadId, message: "When are you open?" });
    const { messages } = (await service.call("GET", `/threads/${threadId}/messages?include=parts`)).body;
    expect(messages[0].content).toBe("From 8 to 18 [1].\n\nSources:\n[1] Opening hours");
    expect(messages[0].parts.at(-1)).toMatchObject({ kind: "sources", citations: [{ sourceId: "hours" }] });
    await service.chat({ threadId, message: "Thanks" });
    expect(service.prompt()).toContainEqual({ role: "assistant", content: "From 8 to 18." });
  });

  test("uses a source from the next message on, and no longer once it is replaced, expired or deleted", async () => {
    const ask = async () => {
      await service.chat({ message: "When are you open?" });
      return passages().map(({ text }: { text: string }) => text);
    };
    expect(await ask()).toEqual(["We are open from 8 to 18."]);
    await store("hours", { ...HOURS, text: "We are open from 9 to 17." });
    expect(await ask()).toEqual(["We are open from 9 to 17."]);
    await store("hours", { ...HOURS, expiresAt: "2020-01-01" });
    expect(await ask()).toEqual([]);
    expect(await list()).toMatchObject([{ id: "hours", expired: true }, {}]);
    await store("hours", HOURS);
    await service.call("DELETE", "/sources/hours");
    expect(await ask()).toEqual([]);
  });

  test("has no passages in an emergency, nor while a person has taken over", async () => {
    await service.chat({ message: "I can't breathe and my lips are blue. When are you open?" });
    expect(notice()).not.toContain("clinic's own information");
    const threadId = await service.newThread();
    await service.call("PUT", `/threads/${threadId}/handoff`, { body: { by: "Bob" } });
    const before = service.model.requests.length;
    const { body } = await service.chat({ threadId, message: "When are you open?" });
    expect(body.response).not.toContain("Sources");
    expect(service.model.requests).toHaveLength(before);
  });

  test("cautions about a drug that the answer quotes", async () => {
    await store("pain", { title: "After dental surgery", text: "Take ibuprofen after dental surgery." });
    const { id: patientId } = await service.newPatient({ allergies: "ibuprofen" });
    says("[[level: none]]\nSee our advice [1].");
    const { body } = await service.chat({ patientId, message: "What do I do after dental surgery?" });
    expect(body.response).toMatch(/ibuprofen/i);
  });
});

test("a clinic without sources has the same prompt as before, and answers with the same bytes", async () => {
  says("[[level: none]]\nHello [1].");
  const { body } = await service.chat({ message: "When are you open?", include: ["parts"] });
  expect(service.prompt().map(({ role }) => role)).toEqual(["system", "user"]);
  expect(body).toEqual({ success: true, response: "Hello [1].", parts: [{ kind: "words", text: "Hello [1]." }] });
});
