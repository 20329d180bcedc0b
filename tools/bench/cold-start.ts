import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LambdaEnvironment } from "../../local/lambda-environment.ts";
import type { FunctionTemplate } from "../../local/template.ts";
import { patientKey, patientThreadKey, phoneIndexKey } from "../../shared/dynamo/keys.ts";
import type { EndpointName } from "../../shared/openapi/registry.ts";
import { storedThread } from "../../test/helpers/database/stored-thread.ts";
import type { TestEnvironment } from "../../test/helpers/service/in-process.ts";
import type { BenchedFunction } from "./functions.ts";
import { ANSWER, invoke, proxyEvent, QUESTION, TENANT } from "./requests.ts";
import { median, medianRatio, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const RUNS = 15;
/** Warm invocations per process. */
const WARM = 10;

/** With age and gender, so that a new thread has no opening question. */
const PATIENT = {
  ...{ name: "Test Patient", age: 40, gender: "female", conditions: ["asthma"], medications: [], notes: "[]" },
  ...{ created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" },
  ...{ join_status: "API", revision: "0123456789abcdef" },
};

interface Subject {
  name: string;
  template: FunctionTemplate;
  /** Creates the event of the next invocation, after seeding the data it needs. */
  event: () => Promise<unknown>;
  runs: { init: number; first: number; warm: number }[];
}

/**
 * Measures the initialization, first invocation and warm invocations of every function under the real runtime client.
 * Database, secrets and model are on loopback. Each process runs right after one with an empty handler. Because single
 * processes differ by a tenth, a ratio is relative to the median of all processes with the empty handler in its round,
 * which takes a quarter of a minute.
 */
export async function measureColdStart(functions: BenchedFunction[], environment: TestEnvironment): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
  writeFileSync(join(folder, "index.mjs"), "export const handler = async () => ({ statusCode: 200 });\n");
  environment.model.script = () => ({ content: ANSWER });
  const eventOf = await seedData(environment);
  const subjects = functions.map((fn): Subject => {
    const template = { ...fn.template, environment: environment.variables };
    return { name: fn.endpoint.name, template, event: () => eventOf(fn), runs: [] };
  });
  const template = { ...(functions[0]?.template as FunctionTemplate), codePath: folder, environment: {} };
  const empty: Subject = { name: "(empty)", template, event: async () => ({}), runs: [] };
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
  const total = ({ init, first }: Subject["runs"][number]) => init + first;
  const floors = Array.from({ length: RUNS }, (_, index) =>
    median(empty.runs.slice(index * subjects.length, (index + 1) * subjects.length).map(total)),
  );
  return {
    title: "Cold starts under the Lambda runtime client",
    columns: ["function", "init ms", "first ms", "warm ms", "cold total x empty"],
    rows: [empty, ...subjects].map(({ name, runs }) => [
      name,
      ...(["init", "first", "warm"] as const).map((time) => round(median(runs.map((run) => run[time])))),
      name === empty.name ? 1 : round(medianRatio(runs.map(total), floors), 2),
    ]),
    notes: [
      `Medians of ${RUNS} processes, with ${WARM} warm invocations in each; ratios are medians, relative to the median of ` +
        "the empty handlers of the same round.",
      "Init is the time from starting the process to its request for the first event; cold total is init plus first invoke.",
      "Measured at this machine's full speed; after initialization, a Lambda with 256 MB has a seventh of a vCPU.",
    ],
  };
}

async function runOnce({ name, template, event, runs }: Subject): Promise<void> {
  const firstEvent = await event();
  const startedAt = performance.now();
  const environment = await LambdaEnvironment.start(template, {}, () => {});
  try {
    await environment.ready;
    const init = performance.now() - startedAt;
    if (!environment.alive) {
      throw new Error(`${name} failed during initialization.`);
    }
    const first = (await invoke(environment, firstEvent)).milliseconds;
    const warm: number[] = [];
    for (let invocation = 0; invocation < WARM; invocation++) {
      warm.push((await invoke(environment, await event())).milliseconds);
    }
    runs.push({ init, first, warm: median(warm) });
  } finally {
    environment.stop();
    await environment.exited;
  }
}

/**
 * Stores a thread with 20 messages, and a patient.
 *
 * @returns creates the event of a successful request to an endpoint; what it deletes is stored for it
 */
async function seedData(environment: TestEnvironment) {
  let lastThreadId = 10_000;
  let lastPhoneNumber = 15_550_000_000; // reserved for fiction
  const newThread = async (patientId?: string) => {
    const threadId = String(lastThreadId++);
    const items = storedThread(TENANT, threadId, Date.now(), patientId);
    const link = patientThreadKey(TENANT, patientId ?? "", String(items[0]?.generation), threadId);
    await environment.seed(patientId === undefined ? items : [...items, link]);
    return threadId;
  };
  const newPatient = async (phoneNumber: string) => {
    const id = randomUUID();
    const keys = { ...patientKey(TENANT, id), ...phoneIndexKey(TENANT, phoneNumber) };
    await environment.seed([{ ...keys, ...PATIENT, id, phone_number: phoneNumber }], "PATIENTS_TABLE");
    await newThread(id);
    return id;
  };
  const nextPhoneNumber = () => String(lastPhoneNumber++);
  const phoneNumber = nextPhoneNumber();
  // The threads that are created belong to a patient whose threads are not listed or exported.
  const [threadId, patientId] = [await newThread(), await newPatient(phoneNumber)];
  const otherId = await newPatient(nextPhoneNumber());
  const bodies: Partial<Record<EndpointName, () => unknown>> = {
    chat: () => ({ threadId, message: QUESTION }),
    "create-thread": () => ({ patientId: otherId }),
    "create-patient": () => ({ name: "Test Patient", phone_number: nextPhoneNumber(), conditions: ["asthma"] }),
    "update-patient": () => ({ allergies: "none" }),
    "search-patients": () => ({ phone_number: phoneNumber }),
  };
  return async ({ endpoint }: BenchedFunction) => {
    const [, kind] = /^\/(threads|patients)\/\{id\}/.exec(endpoint.path) ?? [];
    const id = kind === "threads" ? threadId : patientId;
    const fresh = () => (kind === "threads" ? newThread() : newPatient(nextPhoneNumber()));
    return proxyEvent(endpoint, {
      ...(kind && { id: endpoint.method === "DELETE" ? await fresh() : id }),
      body: bodies[endpoint.name as EndpointName]?.(),
    });
  };
}
