import { beforeAll, describe, expect, test } from "@jest/globals";
import { PLAN } from "../../shared/live-check/live-check.ts";
import { Target } from "../../shared/live-check/target.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";
import { type Answer, alterationsOf } from "./alterations.ts";

/** The state before a rule runs, and the responses to its requests. */
interface Recording {
  fixtures: Target["fixtures"];
  owned: string[];
  answers: Answer[];
}

const service = setUpService();
const recordings: Recording[] = [];
let fetch: typeof globalThis.fetch;
let target: Target;

// All rules run once against the local service. Each is then replayed from the recording with a single alteration of
// one response at a time.
beforeAll(async () => {
  target = new Target({ baseUrl: service.baseUrl, apiKey: API_KEY, fetch: (...request) => fetch(...request) });
  for (const [index, rule] of PLAN.entries()) {
    const recording: Recording = { fixtures: copyOf(target.fixtures), owned: [...target.owned], answers: [] };
    fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init);
      const { status, headers } = response;
      recording.answers.push({ status, headers, text: await response.clone().text() });
      return response;
    };
    target.begin(index + 1);
    await rule.play(target);
    recordings.push(recording);
  }
});

/** Not `structuredClone`, whose objects have other prototypes than a test's own. */
const copyOf = (fixtures: Target["fixtures"]): Target["fixtures"] => JSON.parse(JSON.stringify(fixtures));

/** Replays a rule with these responses, and returns whether it passes. */
async function passesWith(index: number, answers: Answer[]): Promise<boolean> {
  const { fixtures, owned } = recordings[index] as Recording;
  target.fixtures = copyOf(fixtures);
  target.owned = new Set(owned);
  const left = [...answers];
  fetch = async () => {
    const { status, headers, text } = left.shift() as Answer;
    return new Response(Buffer.from(text), { status, headers }); // a string would get a type of its own
  };
  target.begin(index + 1);
  return await (PLAN[index] as (typeof PLAN)[number]).play(target).then(
    () => true,
    () => false,
  );
}

describe.each(PLAN.map(({ name }, index) => [name, index] as const))("%s", (_, index) => {
  test("passes for the recorded responses", async () => {
    const { answers } = recordings[index] as Recording;
    expect(await passesWith(index, answers)).toBe(true);
  });

  test("fails when any one of its responses is altered", async () => {
    const { answers } = recordings[index] as Recording;
    const missed: string[] = [];
    for (const [at, answer] of answers.entries()) {
      for (const { what, answer: altered } of alterationsOf(withShortDocument(answer))) {
        if (!isExempt(what, answer) && (await passesWith(index, answers.with(at, altered)))) {
          missed.push(`response ${at + 1}: ${what}`);
        }
      }
    }
    expect(missed).toEqual([]);
  });
});

/** The service may choose the ID of a request that it does not reach, or that has none. */
function isExempt(what: string, { text, headers }: Answer): boolean {
  const choosesId = !headers.get("x-request-id")?.startsWith("live-check-");
  return (
    (choosesId && what === "another header x-request-id") ||
    (isDocument(text) && /one more field|^another (paths|servers)|^(no|another) servers\.0\.(?!url)/.test(what))
  );
}

const isDocument = (text: string) => text.startsWith('{"openapi"');

/** The parts of the OpenAPI document that the live check reads. */
function withShortDocument(answer: Answer): Answer {
  if (!isDocument(answer.text)) {
    return answer;
  }
  const { openapi, servers, paths } = JSON.parse(answer.text);
  const operations = Object.entries(paths as Record<string, object>).map(([path, methods]) => [path, short(methods)]);
  const [{ url }] = servers;
  return { ...answer, text: JSON.stringify({ openapi, servers: [{ url }], paths: Object.fromEntries(operations) }) };
}

/** A path's operations with their names only. */
function short(methods: object): object {
  return Object.fromEntries(Object.entries(methods).map(([method, { operationId }]) => [method, { operationId }]));
}
