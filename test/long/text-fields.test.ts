import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { functionCpu } from "../helpers/fields/function-cpu.ts";
import { OBJECT_SHAPES, TEXT_SHAPES } from "../helpers/fields/shapes.ts";
import { type TextField, textFields } from "../helpers/fields/text-fields.ts";
import { type Reply, startTestService, type TestService } from "../helpers/service/service.ts";

/**
 * `FIELD_SHAPES=40 npm run test:long -- text-fields` fills each field with every shape, which takes half an hour; by
 * default with a few, others in each run. `FIELD_REPORT` names a file for the slowest requests.
 */
const COUNT = Number(process.env.FIELD_SHAPES ?? 3);

/** A request that takes 15 times as much CPU time as an ordinary chat holds up others. */
const MOST = 15;

/** A little less than the largest body, 256 KB. */
const BODY_BYTES = 250_000;

/** How often a slow request is repeated: the least time counts, because a process that has just started is slow. */
const ATTEMPTS = 8;

type Request = () => Promise<Reply>;

interface Measured {
  what: string;
  status: number;
  milliseconds: number;
}

let service: TestService;
let ids: Record<"patient" | "thread" | "message" | "held" | "webhook", string>;
let usual = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  service = await startTestService();
  const { id: patient } = await service.newPatient({ phone_number: "555 013 4567" });
  const thread = await service.newThread({ patientId: patient });
  const { body } = await service.chat({ message: "hello", threadId: thread, include: ["ids"] });
  const held = await service.newThread();
  await service.call("PUT", `/threads/${held}/handoff`, { body: {} });
  const hook = { url: "http://127.0.0.1:9/hook", events: ["thread.expired"] };
  const { webhook } = (await service.call("POST", "/webhooks", { body: hook })).body;
  ids = { patient, thread, message: body.ids.assistant, held, webhook: webhook.id };
  const ordinary = [];
  for (let time = 0; time < 60; time++) {
    const chat = () => service.chat({ message: "Can I take ibuprofen?", patientId: patient });
    ordinary.push((await measured("ordinary", chat)).milliseconds);
  }
  usual = ordinary.slice(30).sort((a, b) => a - b)[15] ?? 0;
}, 120_000);
afterAll(() => service.stop());

async function measured(what: string, request: Request): Promise<Measured & { reply: Reply }> {
  const before = functionCpu();
  const reply = await request();
  return { what, status: reply.status, milliseconds: functionCpu() - before, reply };
}

async function leastOf(what: string, request: Request): Promise<Measured & { reply: Reply }> {
  const first = await measured(what, request);
  let { milliseconds } = first;
  for (let attempt = 1; attempt < ATTEMPTS && milliseconds > MOST * usual; attempt++) {
    milliseconds = Math.min(milliseconds, (await measured(what, request)).milliseconds);
  }
  return { ...first, milliseconds };
}

const KINDS: [path: RegExp, id: () => string][] = [
  [/^\/patients/, () => ids.patient],
  [/^\/sources/, () => "source"],
  [/^\/webhooks/, () => ids.webhook],
  [/\/messages$/, () => ids.held],
];

/** The path of a request, with the ids of what there is. */
function pathOf({ path }: TextField): string {
  const id = (KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? (() => ids.thread))();
  return path.replace("{id}", id).replace("{messageId}", ids.message);
}

/** What shows what a request has stored, or answers from it. */
function readers(field: TextField, { body }: Reply): [string, Request][] {
  const get = (of: string): [string, Request] => [`GET ${of}`, () => service.call("GET", of)];
  const ask = (message: string, about: object): [string, Request] => [
    `the chat "${message}"`,
    () => service.chat({ message, ...about }),
  ];
  if (field.path.startsWith("/patients")) {
    const patientId = body.patient?.id ?? ids.patient;
    const edit = { body: { allergies: "penicillin, latex" } };
    return [
      ask("Can I take ibuprofen for my asthma?", { patientId }),
      ask("I took 50 tylenol pills because I want to die", { patientId }),
      get(`/patients/${patientId}`),
      get(`/patients/${patientId}/fhir`),
      ["an edit of the allergies", () => service.call("PATCH", `/patients/${patientId}`, edit)],
    ];
  }
  if (field.path.startsWith("/sources")) {
    return [ask("When are you open?", {}), get("/sources")];
  }
  const threadId = body.threadId ?? (field.path.startsWith("/threads/") ? pathOf(field).split("/")[2] : undefined);
  return threadId === undefined
    ? []
    : [ask("And how often?", { threadId }), get(`/threads/${threadId}/messages`), get(`/threads/${threadId}`)];
}

/** Sends a value in a field, shorter until it is accepted, and reads it back: of a patient that has no other such value. */
async function fill(field: TextField, shape: string, values: (length: number) => unknown, items: number) {
  const found: Measured[] = [];
  if (field.path.startsWith("/patients/{id}")) {
    ids.patient = (await service.newPatient()).id;
  }
  const isLimited = field.maxLength !== undefined && items === 1;
  let length = Math.min(field.maxLength ?? BODY_BYTES, BODY_BYTES / items);
  for (let tries = 0; tries < (isLimited ? 1 : 6); tries++, length /= 2) {
    const body = JSON.stringify(field.bodyWith(values(Math.floor(length)), items));
    if (Buffer.byteLength(body) > BODY_BYTES + 5_000) {
      continue;
    }
    const what = `${field.operation} ${field.name} (${items}): ${shape}, ${Math.floor(length)}`;
    const sent = await leastOf(what, () => service.call(field.method, pathOf(field), { body }));
    found.push(sent);
    if (sent.status < 400) {
      for (const [reader, read] of readers(field, sent.reply)) {
        found.push(await leastOf(`${what}, then ${reader}`, read));
      }
      break;
    }
  }
  return found;
}

/** The shapes of a field's values, by the length of a text. */
function shapesOf({ takesObject }: TextField): [string, (length: number) => unknown][] {
  const texts = Object.entries(TEXT_SHAPES);
  const objects = Object.entries(OBJECT_SHAPES);
  return takesObject
    ? [
        ...texts.map(([name, text]) => [name, (length: number) => ({ text: text(length) })] as [string, () => unknown]),
        ...objects.map(([name, object]) => [name, () => object] as [string, () => unknown]),
      ]
    : texts;
}

test("no text that a caller can send takes long to read, whatever its field and its shape", async () => {
  const fields = textFields((await service.call("GET", "/openapi.json")).body);
  expect(fields.length).toBeGreaterThan(60);
  const all: Measured[] = [];
  for (const field of fields) {
    const shapes = shapesOf(field).map((shape) => ({ shape, order: Math.random() }));
    for (const { shape } of shapes.sort((a, b) => a.order - b.order).slice(0, COUNT)) {
      for (const items of new Set([1, field.maxItems || 1])) {
        all.push(...(await fill(field, ...shape, items)));
      }
    }
  }
  const slowest = all.sort((a, b) => b.milliseconds - a.milliseconds);
  const rows = slowest.map(
    ({ what, status, milliseconds }) => `${(milliseconds / usual).toFixed(1)} ${status} ${what}`,
  );
  if (process.env.FIELD_REPORT) {
    writeFileSync(process.env.FIELD_REPORT, [`${usual} ms, ${all.length} requests`, ...rows].join("\n"));
  }
  expect(rows.filter((_, index) => (slowest[index]?.milliseconds ?? 0) > MOST * usual)).toEqual([]);
  expect(rows.filter((_, index) => (slowest[index]?.status ?? 0) >= 500)).toEqual([]);
}, 3_600_000);
