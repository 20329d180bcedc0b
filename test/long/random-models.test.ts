import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Listening } from "../../packages/lambda-local/loopback.ts";
import { REASONED, startRandomServer } from "../helpers/model/random-server.ts";
import { CARDIAC, EMERGENCY_TEXT, HARMLESS, SUICIDAL } from "../helpers/safety-messages.ts";
import { textOf } from "../helpers/service/event-stream.ts";
import { API_KEY, startTestService, type TestService } from "../helpers/service/service.ts";

/** `MODEL_SERVERS=10000 SEED=1 npm run test:long -- random-models` for more. */
const SERVERS = Number(process.env.MODEL_SERVERS ?? 2_000);
const SEED = Number(process.env.SEED ?? 20_261_126);
const PARALLEL = 6;

/** What a person in danger reads first. */
const FIXED = new RegExp(`${EMERGENCY_TEXT.source}|^Thank you for saying this\\.|^What you describe sounds`);
const ALARMING = [CARDIAC, SUICIDAL];

let server: Listening;
let service: TestService;
beforeAll(async () => {
  server = await startRandomServer(SEED);
  service = await startTestService({
    OPENAI_BASE_URL: `${server.origin}/v1`,
    MODEL_TOTAL_MILLISECONDS: "3000",
    MODEL_FIRST_TOKEN_MILLISECONDS: "1000",
  });
});
afterAll(async () => {
  await service.stop();
  server.stop();
});

/** How a chat ended: its response, or the last event of its stream. */
interface Ended {
  status: number;
  said: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test reads it freely
  body: any;
}

async function chat(message: string, threadId: string, streamed: boolean): Promise<Ended> {
  if (!streamed) {
    const { status, body } = await service.chat({ message, threadId });
    return { status, said: body.response ?? "", body };
  }
  const response = await fetch(`${service.baseUrl}/chat`, {
    method: "POST",
    headers: { "x-api-key": API_KEY, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ message, threadId }),
  });
  const text = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return { status: response.status, said: "", body: JSON.parse(text) };
  }
  const events = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, event, data]) => ({
    event: String(event),
    data: JSON.parse(String(data)),
  }));
  const last = events.at(-1);
  return { status: last?.event === "done" ? 200 : 500, said: textOf(events), body: last?.data };
}

/** Returns what is wrong with one chat. */
async function faultOf(number: number): Promise<string | undefined> {
  const isAlarming = number % 2 === 0;
  const streamed = number % 4 < 2;
  const message = `${isAlarming ? ALARMING[(number / 2) % 2] : HARMLESS} #${number}`;
  const threadId = await service.newThread();
  const { status, said, body } = await chat(message, threadId, streamed);
  const { messageCount } = await service.thread(threadId);
  const stored = JSON.stringify((await service.call("GET", `/threads/${threadId}/messages`)).body);
  const faults = [
    (said + JSON.stringify(body) + stored).includes(REASONED) && "reasoning is shown or stored",
    isAlarming && status !== 200 && "an alarming message has no answer",
    isAlarming && !FIXED.test(said) && "an alarming message has no fixed text",
    status === 200 && messageCount !== 2 && "the turn is not stored",
    status === 200 && said !== body.response && "what was shown is not the response",
    status !== 200 && messageCount !== 0 && "a failed turn is stored",
    status !== 200 && body.error !== "Failed to process chat request" && "a failure has another shape",
    ![200, 500].includes(status) && `the status is ${status}`,
  ].filter((fault) => typeof fault === "string");
  return faults.length > 0 ? `server ${number}: ${faults.join(", ")}` : undefined;
}

test(`${SERVERS} random servers: no process ends, no alert is lost, and no reasoning is shown`, async () => {
  const faults: string[] = [];
  let answered = 0;
  let next = 1;
  const worker = async () => {
    for (let number = next++; number <= SERVERS; number = next++) {
      const fault = await faultOf(number).catch((error: Error) => `server ${number}: ${error.message}`);
      faults.push(...(fault === undefined ? [] : [fault]));
      answered++;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  expect(faults).toEqual([]);
  expect(answered).toBe(SERVERS);
  expect(service.logs.filter((line) => /stray-error|Unhandled/.test(line))).toEqual([]);
}, 3_600_000);
