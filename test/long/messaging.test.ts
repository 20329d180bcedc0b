import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text as bodyOf } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { listenOnLoopback } from "../../packages/lambda-local/loopback.ts";
import { eventually } from "../helpers/eventually.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const SERVER = join(import.meta.dirname, "..", "..", "examples", "messaging", "server.mjs");
const SECRETS = { TWILIO_AUTH_TOKEN: "token", META_APP_SECRET: "secret", META_VERIFY_TOKEN: "verify" };

const service = setUpService();

/** What both providers were asked to send, and to whom. */
let sent: { to: string; text: string }[] = [];
let provider: { origin: string; stop(): void };
/** The status with which they answer, and the code of the error. */
let status = 200;
let code = 0;
let folder: string;
let example: ChildProcess;
let url: string;

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const isTwilio = request.url?.includes("/Accounts/");
    if (status !== 200) {
      response
        .writeHead(status)
        .end(JSON.stringify(isTwilio ? { code, message: "refused", status } : { error: { code, message: "refused" } }));
      return;
    }
    const form = new URLSearchParams(body);
    sent.push(
      isTwilio
        ? { to: String(form.get("To")), text: String(form.get("Body")) }
        : { to: JSON.parse(body).to, text: JSON.parse(body).text.body },
    );
    response.end("{}");
  });
  provider = await listenOnLoopback(server);
});
beforeEach(async () => {
  sent = [];
  [status, code] = [200, 0];
  folder = mkdtempSync(join(tmpdir(), "messaging-"));
  await start();
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});
afterAll(() => provider.stop());

async function start(): Promise<void> {
  const { PATH = "" } = process.env;
  example = spawn(process.execPath, [SERVER], {
    env: {
      ...{
        PATH,
        ...SECRETS,
        TWILIO_ACCOUNT_SID: "AC1",
        META_ACCESS_TOKEN: "access",
        PUBLIC_URL: "https://example.org",
      },
      ...{ TWILIO_API: provider.origin, META_API: provider.origin },
      ...{ BASE_URL: service.baseUrl, API_KEY, PORT: "0", STATE: join(folder, "state") },
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  [url] = (await once(createInterface(example.stdout as NodeJS.ReadableStream), "line")) as [string];
}

async function stop(): Promise<void> {
  example.kill();
  await once(example, "exit");
}

let phones = 15_557_000_000;
let phone: string;
beforeEach(() => {
  phone = String(++phones);
});

/** A message as Twilio delivers it ("Twilio's Request to your Webhook URL"). */
function twilio(Body: string, MessageSid: string, more: object = {}) {
  return signedByTwilio({ ...twilioFields(Body, MessageSid), ...more });
}

function twilioFields(Body: string, MessageSid: string) {
  return {
    ...{
      AccountSid: "AC1",
      ApiVersion: "2010-04-01",
      Body,
      From: `+${phone}`,
      MessageSid,
      NumMedia: "0",
      NumSegments: "1",
    },
    ...{ SmsMessageSid: MessageSid, SmsStatus: "received", To: "+15550009999" },
  };
}

function signedByTwilio(fields: Record<string, string>) {
  const names = Object.keys(fields).sort();
  const signed = `https://example.org/twilio${names.map((name) => name + fields[name]).join("")}`;
  return {
    path: "/twilio",
    body: new URLSearchParams(fields).toString(),
    headers: { "x-twilio-signature": createHmac("sha1", "token").update(signed).digest("base64") },
  };
}

/** A message as Meta delivers it ("messages webhook reference"). */
function meta(message: object, id: string) {
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "15550009999", phone_number_id: "106" },
    contacts: [{ profile: { name: "Test" }, wa_id: phone }],
    messages: [{ from: phone, id, timestamp: "1700000000", ...message }],
  };
  const body = JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: "1", changes: [{ field: "messages", value }] }],
  });
  const signature = createHmac("sha256", "secret").update(body).digest("hex");
  return { path: "/meta", body, headers: { "x-hub-signature-256": `sha256=${signature}` } };
}
const written = (body: string) => ({ type: "text", text: { body } });

async function deliver({ path, body, headers }: ReturnType<typeof twilio> | ReturnType<typeof meta>): Promise<number> {
  return (await fetch(url + path, { method: "POST", body, headers: headers as Record<string, string> })).status;
}
const texts = () => sent.map(({ text }) => text);

describe("examples/messaging", () => {
  test("answers on SMS and on WhatsApp, in one conversation of the patient with the number", async () => {
    expect(await deliver(twilio("Hello", "SM1"))).toBe(200);
    expect(await deliver(meta(written("And then?"), "wamid.1"))).toBe(200);
    expect(sent).toEqual([
      { to: `+${phone}`, text: "answer to: Hello" },
      { to: phone, text: "answer to: And then?" },
    ]);
    expect(service.prompt().map(({ content }) => content)).toContain("Hello");
  });

  test("answers a message once, however often and in whatever order it is delivered, and after a restart", async () => {
    const [one, two] = [meta(written("One"), "wamid.a"), meta(written("Two"), "wamid.b")];
    expect(await Promise.all([deliver(two), deliver(one), deliver(one), deliver(two)])).toEqual([200, 200, 200, 200]);
    await stop();
    await start();
    expect(await deliver(one)).toBe(200);
    expect(texts().sort()).toEqual(["answer to: One", "answer to: Two"]);
  });

  test("lets the provider deliver again what could not be sent, and does not ask the model again", async () => {
    status = 503;
    expect(await deliver(meta(written("Hello, once"), "wamid.c"))).toBe(500);
    status = 200;
    expect(await deliver(meta(written("Hello, once"), "wamid.c"))).toBe(200);
    const asked = service.model.requests.filter(({ body }) => body.messages.at(-1)?.content === "Hello, once");
    expect([texts(), asked.length]).toEqual([["answer to: Hello, once"], 1]);
  });

  test("sends nothing more after STOP, also after a restart, until START", async () => {
    await deliver(twilio("stop", "SM2"));
    await deliver(twilio("Hello?", "SM3"));
    await stop();
    await start();
    await deliver(twilio("Hello?", "SM4"));
    expect(texts()).toEqual([expect.stringMatching(/START/)]);
    await deliver(twilio("Start", "SM5"));
    await deliver(twilio("Hello", "SM6"));
    expect(texts().at(-1)).toBe("answer to: Hello");
  });

  test("gives up what the provider refuses for good, as Twilio does after STOP, and nothing else", async () => {
    [status, code] = [400, 21610];
    expect(await deliver(twilio("STOP", "SM13"))).toBe(200);
    [status, code] = [400, 190]; // the access token has expired
    expect(await deliver(meta(written("START"), "wamid.g"))).toBe(500);
    status = 200;
    expect(await deliver(twilio("STOP", "SM13"))).toBe(200);
    expect(sent).toEqual([]);
    expect(await deliver(meta(written("START"), "wamid.g"))).toBe(200);
    expect(texts()).toHaveLength(1);
  });

  test("answers the caption of a picture, and no report, reaction or news of the number", async () => {
    await deliver(meta({ type: "image", image: { id: "1", caption: "What is this rash?" } }, "wamid.h"));
    await deliver(twilio("And this one?", "SM14", { NumMedia: "1", MediaUrl0: "https://example.org/1" }));
    expect(texts()).toEqual(["answer to: What is this rash?", "answer to: And this one?"]);
    const { Body: _, NumMedia: __, ...report } = twilioFields("", "SM15");
    expect(await deliver(signedByTwilio({ ...report, MessageStatus: "delivered", SmsStatus: "delivered" }))).toBe(200);
    expect(await deliver(meta({ type: "reaction", reaction: { message_id: "1", emoji: "👍" } }, "wamid.i"))).toBe(200);
    expect(await deliver(meta({ type: "system", system: { body: "changed" } }, "wamid.j"))).toBe(200);
    expect(sent).toHaveLength(2);
  });

  test("starts with a note that a crash has cut", async () => {
    await deliver(twilio("Hello", "SM16"));
    appendFileSync(join(folder, "state"), '\n["sent SM');
    await stop();
    await start();
    expect(await deliver(twilio("Hello", "SM16"))).toBe(200);
    expect(await deliver(twilio("Hello again", "SM17"))).toBe(200);
    await stop();
    await start();
    expect(await deliver(twilio("Hello again", "SM17"))).toBe(200);
    expect(texts()).toEqual(["answer to: Hello", "answer to: Hello again"]);
  });

  test("sends nothing of a person to whoever has written STOP", async () => {
    await deliver(meta(written("Hello"), "wamid.k"));
    const { patients } = (await service.call("POST", "/patients/search", { body: { phone_number: `+${phone}` } })).body;
    const { threads } = (await service.call("GET", `/patients/${patients[0].id}/threads`)).body;
    const path = `/threads/${threads[0].threadId}`;
    await service.call("PUT", `${path}/handoff`, { body: { by: "Ana" } });
    await deliver(meta(written("Anybody?"), "wamid.l"));
    await deliver(meta(written("STOP"), "wamid.m"));
    await service.call("POST", `${path}/messages`, { body: { content: "Ana is here.", author: "Ana" } });
    const ended = () => readFileSync(join(folder, "state"), "utf8").includes(`["follow ${threads[0].threadId}",null]`);
    expect(await eventually(ended, (isOver) => isOver)).toBe(true);
    expect(texts()).not.toContain("Ana is here.");
    await deliver(meta(written("START"), "wamid.n"));
    await eventually(texts, (all) => all.includes("Ana is here."));
    expect(texts().filter((text) => text === "Ana is here.")).toHaveLength(1);
  });

  test("answers voice and pictures with a sentence", async () => {
    await deliver(meta({ type: "audio", audio: { id: "1", mime_type: "audio/ogg" } }, "wamid.d"));
    await deliver(twilio("", "SM7", { NumMedia: "1", MediaUrl0: "https://example.org/1" }));
    expect(texts()).toEqual([expect.stringMatching(/only read text/), expect.stringMatching(/only read text/)]);
  });

  test("sends what a person writes who has taken over, also after a restart", async () => {
    await deliver(twilio("Hello", "SM8"));
    const { patients } = (await service.call("POST", "/patients/search", { body: { phone_number: `+${phone}` } })).body;
    const { threads } = (await service.call("GET", `/patients/${patients[0].id}/threads`)).body;
    const path = `/threads/${threads[0].threadId}`;
    await service.call("PUT", `${path}/handoff`, { body: { by: "Ana" } });
    await deliver(twilio("Is anybody there?", "SM9"));
    const says = async (content: string) => {
      await service.call("POST", `${path}/messages`, { body: { content, author: "Ana" } });
      await eventually(
        async () => texts(),
        (all) => all.includes(content),
      );
      // Only what is noted is not sent again after a restart.
      const noted = () => readFileSync(join(folder, "state"), "utf8").match(/"sent /g)?.length;
      expect(await eventually(noted, (count) => count === sent.length)).toBe(sent.length);
    };
    await says("Yes, Ana is.");
    await stop();
    await start();
    await says("And still am.");
    await service.call("DELETE", `${path}/handoff`);
    expect(texts().filter((text) => /Ana is|still am/.test(text))).toHaveLength(2);
  });

  test("says whom to call if the model is down, and accepts nothing that the provider has not signed", async () => {
    service.model.script = () => ({ status: 503 });
    await deliver(twilio("When is a good time of day to take vitamin D?", "SM10"));
    expect(texts()[0]).toContain("911");
    const forged = { ...meta(written("Hello"), "wamid.e"), headers: { "x-hub-signature-256": "sha256=0" } };
    expect([
      await deliver(forged),
      await deliver({ ...twilio("Hello", "SM11"), headers: { "x-twilio-signature": "0" } }),
    ]).toEqual([403, 403]);
    // As many characters as a signature has, and more bytes; and an address that is no path.
    const strange = { ...twilio("Hello", "SM18"), headers: { "x-twilio-signature": "é".repeat(28) } };
    expect([await deliver(strange), (await fetch(`${url}//`, { method: "POST" })).status]).toEqual([403, 403]);
    const challenge = `${url}/meta?hub.mode=subscribe&hub.verify_token=verify&hub.challenge=42`;
    expect(await (await fetch(challenge)).text()).toBe("42");
  });

  test("splits a long answer between sentences, and the one with a number to call stays whole", async () => {
    const call = "If it gets worse, call 911 now.";
    const answer = `${"This is a sentence of an answer. ".repeat(45)}${call} ${"word ".repeat(400)}`.trim();
    service.model.script = () => ({ content: answer });
    await deliver(twilio("Hello", "SM12"));
    expect(texts().every(({ length }) => length <= 1_500)).toBe(true);
    expect([texts().length > 2, texts().filter((text) => text.includes(call)).length]).toEqual([true, 1]);
    expect(texts().join("").replaceAll(/\s/g, "")).toBe(answer.replaceAll(/\s/g, ""));
  });
});
