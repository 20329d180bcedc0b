import { ulid } from "ulid";
import { patientKey, patientThreadKey, phoneIndexKey, threadKey, turnKey } from "../../shared/dynamo/keys.ts";
import { tenantNamed } from "../../shared/tenant.ts";
import { IDLE_SECONDS, lifetime, SWEEP_INTERVAL_SECONDS, ttlAt } from "../../shared/threads/thread.ts";

/** The API key of the only client in `startTestEnvironment`. */
const API_KEY = "key-of-the-client";

/** The tenant of that client. */
export const TENANT = tenantNamed("local");

/** A question and an answer of typical length. The safety screen reads the question, so it consists of words. */
export const QUESTION =
  "I have had a dull headache since yesterday evening and took two ibuprofen tablets this morning. " +
  "Can I take them together with my salbutamol inhaler, or is it a bad idea?";
export const ANSWER = "a".repeat(810);

/** The number of turns that a chat loads as context. */
export const TURNS = 10;

/** The parts of an API Gateway event that a caller determines. */
export interface Caller {
  path: string;
  method: string;
  id?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  /** Null for no key. */
  key?: string | null;
}

/** Creates the event of a Lambda proxy integration; the gateway's own ids are placeholders. */
export function proxyEvent({ path, method, id, body, headers = {}, key = API_KEY }: Caller) {
  const all: Record<string, string> = {
    Accept: "application/json",
    "Accept-Encoding": "gzip, deflate, br",
    "Content-Type": "application/json",
    Host: "abcdefghij.execute-api.us-east-1.amazonaws.com",
    "User-Agent": "benchmark/1.0",
    "X-Amzn-Trace-Id": "Root=1-00000000-000000000000000000000000",
    "X-Forwarded-For": "192.0.2.1",
    "X-Forwarded-Port": "443",
    "X-Forwarded-Proto": "https",
    ...(key !== null && { "X-API-Key": key }),
    ...headers,
  };
  return {
    resource: path,
    path: path.replace("{id}", id ?? ""),
    httpMethod: method,
    headers: all,
    multiValueHeaders: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: id === undefined ? null : { id },
    stageVariables: null,
    requestContext: {
      accountId: "000000000000",
      apiId: "abcdefghij",
      domainName: "abcdefghij.execute-api.us-east-1.amazonaws.com",
      httpMethod: method,
      identity: { sourceIp: "192.0.2.1", userAgent: "benchmark/1.0" },
      path: `/v1${path}`,
      protocol: "HTTP/1.1",
      requestId: "00000000-0000-4000-8000-000000000000",
      requestTimeEpoch: 0,
      resourceId: "abcdef",
      resourcePath: path,
      stage: "v1",
    },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  };
}

/** Creates the item of a fictional patient whose age and gender are known, so that a thread has no opening question. */
export function patientItem(id: string, phoneNumber = nextPhoneNumber()) {
  return {
    ...patientKey(TENANT, id),
    ...phoneIndexKey(TENANT, phoneNumber),
    id,
    name: "Test Patient",
    phone_number: phoneNumber,
    age: 40,
    gender: "female",
    conditions: ["asthma"],
    medications: [{ name: "salbutamol", dosage: "100 mcg", frequency: "as needed" }],
    allergies: "penicillin",
    notes: "[]",
    reminders_enabled: false,
    join_status: "API",
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    revision: "0123456789abcdef",
  };
}

/** Creates the items of a new thread with {@link TURNS} turns, linked to a patient if one is given. */
export function threadItems(
  threadId: string,
  turn: { question: string; answer: string },
  patientId: string | null = null,
): Record<string, unknown>[] {
  const now = Date.now();
  const generation = ulid(now);
  const { lastActivity, ...times } = lifetime(now, {
    idleSeconds: IDLE_SECONDS,
    sweepIntervalSeconds: SWEEP_INTERVAL_SECONDS,
  });
  const thread = {
    ...threadKey(TENANT, threadId),
    threadId,
    ...times,
    lastActivity,
    createdAt: lastActivity,
    generation,
    patientId,
    messageCount: 2 * TURNS,
    version: TURNS,
  };
  const link = patientId === null ? [] : [patientThreadKey(TENANT, patientId, generation, threadId)];
  const stored = { ...turn, at: lastActivity, ttl: ttlAt(now) };
  return [
    thread,
    ...link,
    ...Array.from({ length: TURNS }, (_, number) => ({ ...turnKey(TENANT, threadId, generation, number), ...stored })),
  ];
}

let lastThreadId = 10_000;
/** Returns consecutive thread ids from the range that the service assigns. */
export function nextThreadId(): string {
  return String(lastThreadId++);
}

let lastPhoneNumber = 15_550_000_000;
/** Returns consecutive phone numbers from the range reserved for fiction. */
export function nextPhoneNumber(): string {
  return String(lastPhoneNumber++);
}
