import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LambdaEnvironment } from "../../local/lambda-environment.ts";
import type { FunctionTemplate } from "../../local/template.ts";
import { patientKey } from "../../shared/dynamo/keys.ts";
import { ANSWER, storedThread } from "../../test/helpers/database/stored-thread.ts";
import type { TestEnvironment } from "../../test/helpers/service/in-process.ts";
import type { BenchedFunction } from "./functions.ts";
import { QUESTION, send, TENANT } from "./requests.ts";
import { median, medianRatio, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const RUNS = 15;
const THREAD_ID = "10000";
const PATIENT_ID = randomUUID();

/** A request to one function of each kind: with and without the model, with and without validation of a patient. */
const REQUESTS: Record<string, { id?: string; body?: unknown }> = {
  chat: { body: { threadId: THREAD_ID, message: QUESTION } },
  "create-thread": { body: {} },
  "update-patient": { id: PATIENT_ID, body: { allergies: "none" } },
  "get-thread": { id: THREAD_ID },
};

interface Subject {
  name: string;
  template: FunctionTemplate;
  invoke(environment: LambdaEnvironment): Promise<{ milliseconds: number }>;
  runs: { init: number; first: number; total: number }[];
}

/**
 * Measures the initialization, up to the request for the first event, and the first invocation of functions under the real
 * runtime client, at this machine's full speed. Database, secrets and model are on loopback. Each process runs right after
 * one with an empty handler. Because single processes differ by a tenth, a ratio is relative to the median of all
 * processes with the empty handler in its round.
 */
export async function measureColdStart(functions: BenchedFunction[], environment: TestEnvironment): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
  writeFileSync(join(folder, "index.mjs"), "export const handler = async () => ({ statusCode: 200, body: '' });\n");
  environment.model.script = () => ({ content: ANSWER });
  await environment.seed(storedThread(TENANT, THREAD_ID, Date.now()));
  await environment.seed([storedPatient()], "PATIENTS_TABLE");
  const subjects = functions.flatMap(({ endpoint: { name, method, path }, template }): Subject[] => {
    const { id = "", body } = REQUESTS[name] ?? {};
    const invoke: Subject["invoke"] = (started) => send(started, { method, path: path.replace("{id}", id), body });
    const variables = { ...template, environment: environment.variables };
    return name in REQUESTS ? [{ name, template: variables, invoke, runs: [] }] : [];
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

function storedPatient(): Record<string, unknown> {
  const time = "2026-01-01T00:00:00.000Z";
  const data = { name: "Test Patient", conditions: ["asthma"], medications: [], notes: "[]", revision: "0123456789" };
  return {
    ...patientKey(TENANT, PATIENT_ID),
    ...data,
    id: PATIENT_ID,
    created_at: time,
    updated_at: time,
    join_status: "API",
  };
}
