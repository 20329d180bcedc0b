/**
 * Calls handlers with all I/O stubbed, in a separate process, and sends the measured times to its parent. It runs the
 * sources, because the I/O of a bundle cannot be stubbed.
 */
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import OpenAI from "openai";
import type { Environment } from "../../shared/environment.ts";
import { completion } from "../../test/helpers/model/scripted-model.ts";
import { ANSWER, patientItem, proxyEvent, QUESTION, threadItems } from "./requests.ts";
import { median, medianRatio } from "./statistics.ts";

/** The times of one request, in microseconds. */
export interface HandlerReport {
  name: string;
  /**
   * Parsing every input (event, body, responses of database and model) and serializing every output (requests to them,
   * response, log lines, metrics).
   */
  floor: number;
  /** The handler alone, given a parsed event; its response is not serialized. */
  handler: number;
  /** Parsing the event, running the handler and serializing the response. */
  whole: number;
  /** Both relative to the floor, from batches measured one right after the other. */
  handlerRatio: number;
  wholeRatio: number;
}

const BATCHES = 41;
const CALLS = 250;
const WARM_UP = 4_000;

const THREAD_ID = "12345";
const PATIENT_ID = "00000000-0000-4000-8000-000000000001";
const CONVERSATION = threadItems(THREAD_ID, { question: QUESTION, answer: ANSWER }).toSorted((a, b) =>
  String(a.sk) < String(b.sk) ? 1 : -1,
);
const PATIENT_ITEM = patientItem(PATIENT_ID, "15550000000");

/** The stubbed calls of the current request: what was sent, and the text of the response, if there is one. */
const crossed: { sent: unknown; received?: string }[] = [];

/** Does the part of an I/O call that remains without a network: serializes the request and parses the response. */
function turn<T>(sent: unknown, received: string): T {
  crossed.push({ sent, received });
  JSON.stringify(sent);
  return JSON.parse(received);
}

/** Does the part of a log line that remains: Lambda's runtime client serializes the argument of `console`. */
function log(sent: unknown): void {
  crossed.push({ sent });
  JSON.stringify(sent);
}

/** Receives a line of metrics, which the handler has already serialized. */
function writeLine(sent: string): boolean {
  crossed.push({ sent });
  return true;
}

const NOTHING = "{}";
const THREAD_ANSWER = JSON.stringify({ Item: CONVERSATION[0] });
const CONVERSATION_ANSWER = JSON.stringify({ Items: CONVERSATION });
const PATIENT_ANSWER = JSON.stringify({ Item: PATIENT_ITEM });
const PATIENTS_ANSWER = JSON.stringify({ Items: [PATIENT_ITEM] });
const MODEL_ANSWER = JSON.stringify(completion(ANSWER));

/** The database's response, by operation and table. */
function answerOf(operation: string, table: unknown): string {
  if (operation === "GetCommand") {
    return table === "threads" ? THREAD_ANSWER : PATIENT_ANSWER;
  }
  if (operation === "QueryCommand") {
    return table === "threads" ? CONVERSATION_ANSWER : PATIENTS_ANSWER;
  }
  return NOTHING;
}

type Command = { constructor: { name: string }; input: { TableName?: string } };
Object.assign(DynamoDBDocumentClient.prototype, {
  send: async (command: Command) => turn(command.input, answerOf(command.constructor.name, command.input.TableName)),
});
Object.assign(SecretsManagerClient.prototype, {
  send: async () => ({ SecretString: '{"client":"key-of-the-client"}' }), // read at most once a minute
});
const modelResponse = new Response();
Object.assign(OpenAI.Chat.Completions.prototype, {
  create: (parameters: unknown) =>
    Object.assign(Promise.resolve(turn(parameters, MODEL_ANSWER)), { asResponse: async () => modelResponse }),
});
Object.assign(console, { info: log, warn: log, error: log });
Object.assign(process.stdout, { write: writeLine });
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (stream: { write(chunk: string): void }, prelude: unknown) => {
        stream.write(JSON.stringify(prelude));
        return stream;
      },
    },
  },
});
Object.assign(process.env, {
  THREADS_TABLE: "threads",
  PATIENTS_TABLE: "patients",
  API_KEYS_SECRET: "keys",
  SECRETS_CACHE_SECONDS: "60",
  MODEL_KEY_SECRET: "model-key",
  OPENAI_MODEL: "stubbed",
  OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
  MODEL_CONNECT_MILLISECONDS: "3000",
  MODEL_FIRST_TOKEN_MILLISECONDS: "12000",
  MODEL_TOTAL_MILLISECONDS: "24000",
  MODEL_CONTEXT_TOKENS: "32000",
  EMERGENCY_NUMBER: "911",
  CRISIS_LINE: "988",
  POISON_CONTROL: "1-800-222-1222",
  ABUSE_LINE: "1-800-799-7233",
  THREAD_IDLE_SECONDS: "1800",
  SWEEP_INTERVAL_SECONDS: "600",
} satisfies Environment);
Object.assign(process.env, {
  AWS_REGION: "us-east-1",
  AWS_LAMBDA_FUNCTION_NAME: "handler", // metrics are only written inside a Lambda function
});

const context = { getRemainingTimeInMillis: () => 29_000 };
type Handler = (event: unknown, contextOrStream: unknown, context?: unknown) => Promise<unknown>;

/** A request to one of the handlers. */
interface Subject {
  name: string;
  function: string;
  event: ReturnType<typeof proxyEvent>;
}

const getThread = { path: "/threads/{id}", method: "GET", id: THREAD_ID };
const getPatient = { path: "/patients/{id}", method: "GET", id: PATIENT_ID };
const chatOn = (body: unknown) => proxyEvent({ path: "/chat", method: "POST", body });
const SUBJECTS: Subject[] = [
  { name: "GET /threads/{id}", function: "get-thread", event: proxyEvent(getThread) },
  {
    name: "DELETE /threads/{id}",
    function: "delete-thread",
    event: proxyEvent({ ...getThread, method: "DELETE" }),
  },
  { name: "GET /patients/{id}", function: "get-patient", event: proxyEvent(getPatient) },
  {
    name: "PATCH /patients/{id}",
    function: "update-patient",
    event: proxyEvent({ ...getPatient, method: "PATCH", body: { allergies: "none" } }),
  },
  {
    name: "POST /patients/search",
    function: "search-patients",
    event: proxyEvent({ path: "/patients/search", method: "POST", body: { phone_number: "+1 555 000 0000" } }),
  },
  {
    name: "POST /patients",
    function: "create-patient",
    event: proxyEvent({
      path: "/patients",
      method: "POST",
      body: { name: "Test Patient", phone_number: "+1 555 000 0000", conditions: ["asthma"], allergies: "penicillin" },
    }),
  },
  {
    name: "POST /threads",
    function: "create-thread",
    event: proxyEvent({ path: "/threads", method: "POST", body: { patientId: PATIENT_ID } }),
  },
  { name: "POST /chat", function: "chat", event: chatOn({ threadId: THREAD_ID, message: QUESTION }) },
  { name: "401 without a key", function: "get-thread", event: proxyEvent({ ...getThread, key: null }) },
  { name: "401 with a wrong key", function: "get-thread", event: proxyEvent({ ...getThread, key: "wrong" }) },
  {
    name: "400 of POST /patients",
    function: "create-patient",
    event: proxyEvent({ path: "/patients", method: "POST", body: { allergies: "penicillin" } }),
  },
  {
    name: "400 of POST /patients, field of the wrong type",
    function: "create-patient",
    event: proxyEvent({ path: "/patients", method: "POST", body: { name: 5 } }),
  },
  { name: "400 of POST /chat", function: "chat", event: chatOn({ message: "" }) },
];

const reports: HandlerReport[] = [];
for (const subject of SUBJECTS) {
  reports.push(await measure(subject));
}
process.send?.(reports);

async function measure({ name, function: file, event }: Subject): Promise<HandlerReport> {
  const { handler } = (await import(`../../functions/${file}.ts`)) as { handler: Handler };
  const call = file === "chat" ? streamed(handler) : (given: unknown) => handler(given, context);
  const eventText = JSON.stringify(event);
  crossed.length = 0;
  const sample = (await call(JSON.parse(eventText))) as { statusCode: number; body: string };
  const expected = Number(/^4\d\d/.exec(name)?.[0] ?? 200);
  if (sample.statusCode !== expected && !(expected === 200 && sample.statusCode === 201)) {
    throw new Error(`${name} returned ${JSON.stringify(sample)}`);
  }
  const seams = crossed
    .splice(0)
    .map(({ sent, received }) => ({ sent: typeof sent === "string" ? JSON.parse(sent) : sent, received }));
  const body = JSON.parse(sample.body);
  const floor = async () => {
    const parsed = JSON.parse(eventText) as { body: string | null };
    let last: unknown = parsed.body === null ? undefined : JSON.parse(parsed.body);
    for (const { sent, received } of seams) {
      JSON.stringify(sent);
      last = received === undefined ? last : JSON.parse(received);
    }
    return [last, JSON.stringify({ ...sample, body: JSON.stringify(body) })];
  };
  const parsed = JSON.parse(eventText);
  const alone = () => call(parsed);
  const whole = async () => JSON.stringify(await call(JSON.parse(eventText)));
  const works = [floor, alone, whole];
  const times = works.map((): number[] => []);
  for (const work of works) {
    await batch(work, WARM_UP);
  }
  for (let run = 0; run < BATCHES; run++) {
    for (const [index, work] of works.entries()) {
      times[index]?.push((await batch(work, CALLS)) / CALLS);
    }
  }
  const [floors = [], handlers = [], wholes = []] = times;
  return {
    name,
    floor: median(floors),
    handler: median(handlers),
    whole: median(wholes),
    handlerRatio: medianRatio(handlers, floors),
    wholeRatio: medianRatio(wholes, floors),
  };
}

/** @returns microseconds */
async function batch(work: () => Promise<unknown>, calls: number): Promise<number> {
  const startedAt = performance.now();
  for (let call = 0; call < calls; call++) {
    await work();
    crossed.length = 0;
  }
  return (performance.now() - startedAt) * 1000;
}

/** Adapts a streaming handler to return its response as a buffered one does. */
function streamed(handler: Handler): (event: unknown) => Promise<{ statusCode: number; body: string }> {
  return async (event) => {
    const chunks: string[] = [];
    const stream = { write: (chunk: string) => chunks.push(chunk), once: () => {}, end: (done: () => void) => done() };
    await handler(event, stream, context);
    return { ...JSON.parse(chunks[0] ?? "{}"), body: chunks.slice(1).join("") };
  };
}
