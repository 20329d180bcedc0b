import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LambdaEnvironment } from "../../packages/lambda-local/lambda-environment.ts";
import type { FunctionTemplate } from "../../packages/lambda-local/template.ts";
import { ANSWER, storedThread } from "../helpers/database/stored-thread.ts";
import type { TestEnvironment } from "../helpers/service/in-process.ts";
import type { BenchedFunction } from "./functions.ts";
import { QUESTION, send, TENANT } from "./requests.ts";
import { median, medianRatio, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const RUNS = 15;
const THREAD_ID = "10000";

/** The bodies of requests to one function of each kind. */
const BODIES: Record<string, unknown> = {
  chat: { threadId: THREAD_ID, message: QUESTION },
  "create-thread": {},
  "create-patient": { name: "Test Patient", conditions: ["asthma"] },
  "get-thread": undefined,
};

interface Subject {
  name: string;
  template: FunctionTemplate;
  invoke(environment: LambdaEnvironment): Promise<{ milliseconds: number }>;
  runs: { init: number; first: number; total: number }[];
}

/**
 * Measures the initialization, up to the request for the first event, and the first invocation of functions under the
 * real runtime client, at this machine's full speed. Database, secrets and model are on loopback. Each process runs
 * right after one with an empty handler. Because single processes differ by a tenth, a ratio is relative to the median
 * of all processes with the empty handler in its round.
 */
export async function measureColdStart(functions: BenchedFunction[], environment: TestEnvironment): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
  writeFileSync(join(folder, "index.mjs"), "export const handler = async () => ({ statusCode: 200, body: '' });\n");
  environment.model.script = () => ({ content: ANSWER });
  await environment.seed(storedThread(TENANT, THREAD_ID, Date.now()));
  const measured = functions.filter(({ endpoint }) => endpoint.name in BODIES);
  const subjects = measured.map(({ endpoint: { name, method, path }, template }): Subject => {
    const request = { method, path: path.replace("{id}", THREAD_ID), body: BODIES[name] };
    const variables = { ...template, environment: environment.variables };
    return { name, template: variables, invoke: (started) => send(started, request), runs: [] };
  });
  const [first] = subjects as [Subject];
  const template = { ...first.template, codePath: folder, environment: {} };
  const empty: Subject = { ...first, name: "(empty)", template, runs: [] };
  try {
    for (let run = 0; run < RUNS; run++) {
      for (const subject of subjects) {
        await runOnce(empty);
        await runOnce(subject);
        environment.model.requests.length = 0;
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const totals = ({ runs }: Subject) => runs.map(({ total }) => total);
  const floors = Array.from({ length: RUNS }, (_, round) =>
    median(totals(empty).slice(round * subjects.length, (round + 1) * subjects.length)),
  );
  return {
    title: "Cold starts under the Lambda runtime client",
    columns: ["function", "init ms", "first ms", "total x empty"],
    rows: [empty, ...subjects].map((subject) => [
      subject.name,
      round(median(subject.runs.map(({ init }) => init))),
      round(median(subject.runs.map(({ first }) => first))),
      subject === empty ? 1 : round(medianRatio(totals(subject), floors), 2),
    ]),
  };
}

async function runOnce({ name, template, invoke, runs }: Subject): Promise<void> {
  const startedAt = performance.now();
  const environment = await LambdaEnvironment.start(template, {}, () => {});
  try {
    await environment.ready;
    const init = performance.now() - startedAt;
    if (!environment.alive) {
      throw new Error(`${name} failed during initialization.`);
    }
    const { milliseconds: first } = await invoke(environment);
    runs.push({ init, first, total: init + first });
  } finally {
    environment.stop();
    await environment.exited;
  }
}
