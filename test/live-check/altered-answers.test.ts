import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { isContractText } from "../../tools/live-check/faults.ts";
import { PLAN } from "../../tools/live-check/live-check.ts";
import { OPERATIONS } from "../../tools/live-check/operations.ts";
import { type Document, type Found, Target } from "../../tools/live-check/target.ts";
import { API_KEY, startTestService, type TestService } from "../helpers/service/service.ts";
import { type Alteration, type Answer, alterationsOf } from "./alterations.ts";

/** The state before a rule runs, and the responses to its requests. */
interface Recording {
  found: Found;
  openThreads: string[];
  openPatients: string[];
  answers: Map<string, Answer>;
}

let service: TestService;
const recordings: Recording[] = [];
let fetch: typeof globalThis.fetch;
let target: Target;

// All rules run once against the local service. Each is then replayed from the recording with a single alteration of
// one response at a time.
beforeAll(async () => {
  service = await startTestService();
  target = new Target({ baseUrl: service.baseUrl, apiKey: API_KEY, fetch: (...request) => fetch(...request) });
  for (const [index, { rule }] of PLAN.entries()) {
    const [openThreads, openPatients] = [[...target.openThreads], [...target.openPatients]];
    const recording = { found: { ...target.found }, openThreads, openPatients, answers: new Map() };
    fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init);
      const { status, headers } = response;
      recording.answers.set(nameOf(init), { status, headers, text: await response.clone().text() });
      return response;
    };
    target.begin(index + 1);
    await rule.play(target);
    recordings.push(recording);
  }
});
afterAll(() => service.stop());

/** The id that identifies a request in the recording and in the replay. */
function nameOf(init: RequestInit | undefined): string {
  return String(new Headers(init?.headers).get("x-request-id"));
}

/** Replays a rule from its recording. */
async function playAgain(index: number, altered?: { name: string; answer: Answer }): Promise<void> {
  const { found, openThreads, openPatients, answers } = recordings[index] as Recording;
  target.found = { ...found };
  target.openThreads = new Set(openThreads);
  target.openPatients = new Set(openPatients);
  fetch = async (_, init) => {
    const name = nameOf(init);
    const { status, headers, text } = (name === altered?.name ? altered.answer : answers.get(name)) as Answer;
    return new Response(text, { status, headers });
  };
  target.begin(index + 1);
  await PLAN[index]?.rule.play(target);
}

const fails = (play: Promise<void>) =>
  play.then(
    () => false,
    () => true,
  );

describe.each(PLAN.map(({ rule }, index) => [rule.name, index] as const))("%s", (_, index) => {
  test("passes for the recorded responses", async () => {
    await playAgain(index);
  });

  test("fails when any one of its responses is altered", async () => {
    const { answers } = recordings[index] as Recording;
    const missed: string[] = [];
    for (const [name, answer] of answers) {
      for (const alteration of relevantAlterations(name, answer)) {
        if (!(await fails(playAgain(index, { name, answer: alteration.answer })))) {
          missed.push(`${name}: ${alteration.what}`);
        }
      }
    }
    expect(missed).toEqual([]);
  });
});

/**
 * The alterations that a rule must detect. If the request has no id, the service may choose any. The contents of the
 * OpenAPI document are altered below; here only its format is checked.
 */
function relevantAlterations(name: string, answer: Answer): Alteration[] {
  const choosesId = !name.startsWith("live-check-") || answer.headers.get("x-request-id") !== name;
  const isDocument = answer.text.includes('"openapi"');
  const exempt = [
    ...(choosesId ? ["another header x-request-id"] : []),
    ...(isDocument ? ["another paths", "one more field"] : []),
  ];
  const relevant = isDocument ? { ...answer, text: '{"openapi":"3.1.1","paths":{}}' } : answer;
  return alterationsOf(relevant, isContractText).filter(({ what }) => !exempt.includes(what));
}

describe("the rules for the OpenAPI document", () => {
  const ofDocument = PLAN.flatMap(({ rule }, index) => (rule.name.startsWith("the document") ? [{ rule, index }] : []));

  /** Returns the rules that fail after a change to the document. */
  async function brokenBy(change: (document: Required<Document>) => void): Promise<string[]> {
    const broken: string[] = [];
    for (const { rule, index } of ofDocument) {
      const recording = recordings[index] as Recording;
      const { document } = recording.found;
      if (document) {
        const changed = structuredClone(document) as Required<Document>;
        change(changed);
        recordings[index] = { ...recording, found: { ...recording.found, document: changed } };
        if (await fails(playAgain(index))) {
          broken.push(rule.name);
        }
        recordings[index] = recording;
      }
    }
    return broken;
  }

  const cases = Object.entries(OPERATIONS).flatMap(([operation, statuses]) =>
    Object.entries(statuses).map(([status, texts]) => [operation, status, texts] as const),
  );

  test.each(cases)("require %s with status %s and the texts %j", async (operation, status, texts) => {
    const [method = "", path = ""] = operation.split(" ");
    const responses = (document: Required<Document>) => document.paths[path]?.[method.toLowerCase()]?.responses ?? {};
    expect(await brokenBy((document) => delete responses(document)[status])).toEqual([
      expect.stringContaining(operation),
    ]);
    for (const text of texts) {
      const without = (document: Required<Document>) => {
        const { examples = {} } = responses(document)[status]?.content?.["application/json"] ?? {};
        for (const [name, { value }] of Object.entries(examples)) {
          if (value?.error === text) {
            examples[name] = { value: { error: `${text} x` } };
          }
        }
      };
      expect(await brokenBy(without)).toEqual([expect.stringContaining(operation)]);
    }
  });

  test("require the base URL, and the key in the header and in the query", async () => {
    const server = ["the document names this base URL as its server"];
    expect(await brokenBy((document) => (document.servers = []))).toEqual(server);
    expect(await brokenBy((document) => (document.servers = [{ url: "https://example.test/v1" }]))).toEqual(server);
    for (const scheme of ["ApiKeyHeader", "ApiKeyQuery"]) {
      const without = (document: Required<Document>) => delete document.components.securitySchemes?.[scheme];
      expect(await brokenBy(without)).toEqual(["the document describes the key in the header and in the query"]);
    }
  });
});
