import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Endpoint, Operation } from "../../shared/endpoint.ts";
import { type EndpointName, registry } from "../../shared/openapi/registry.ts";
import type { TestEnvironment } from "../../test/helpers/service/in-process.ts";
import type { BenchedFunction } from "./functions.ts";
import { ANSWER, nextPhoneNumber, nextThreadId, patientItem, proxyEvent, QUESTION, threadItems } from "./requests.ts";
import { RuntimeProcess } from "./runtime-process.ts";
import { median, medianRatio, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const RUNS = 31;
/** Warm invocations per process. */
const WARM = 30;

interface Subject {
  name: string;
  codePath: string;
  variables: Record<string, string>;
  /** Creates the event of the next invocation, after seeding the data it needs. */
  event: () => Promise<unknown>;
  runs: Run[];
}

/** The times of one process, in milliseconds. */
interface Run {
  init: number;
  first: number;
  /** The median of its warm invocations. */
  warm: number;
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
  const events = await eventsOf(environment);
  const empty: Subject = {
    name: "(empty)",
    codePath: folder,
    variables: {},
    event: async () => ({}),
    runs: [],
  };
  const subjects = functions.map(
    ({ name, codePath }): Subject => ({
      name,
      codePath,
      variables: environment.variables,
      event: events.get(name) as () => Promise<unknown>,
      runs: [],
    }),
  );
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
  const floors = Array.from({ length: RUNS }, (_, index) =>
    median(empty.runs.slice(index * subjects.length, (index + 1) * subjects.length).map(total)),
  );
  return {
    title: "Under the Lambda runtime client",
    columns: ["function", "init ms", "first ms", "warm ms", "cold total x empty", "first x warm"],
    rows: [empty, ...subjects].map(({ name, runs }) => [
      name,
      round(median(runs.map(({ init }) => init))),
      round(median(runs.map(({ first }) => first))),
      round(median(runs.map(({ warm }) => warm))),
      name === empty.name ? 1 : round(medianRatio(runs.map(total), floors), 2),
      round(median(runs.map(({ first, warm }) => first / warm)), 2),
    ]),
    notes: [
      `Medians of ${RUNS} processes, with ${WARM} warm invocations in each.`,
      "Each process runs right after one with the empty handler. Ratios are medians, relative to the median of the empty " +
        "handlers of the same round.",
      "Init is the time from starting the process to its request for the first event; cold total is init plus first invoke.",
      "Measured at this machine's full speed; after initialization, a Lambda with 256 MB has a seventh of a vCPU.",
    ],
  };
}

function total({ init, first }: Run): number {
  return init + first;
}

async function runOnce({ codePath, variables, event, runs }: Subject): Promise<void> {
  const firstEvent = await event();
  const process_ = await RuntimeProcess.start(codePath, variables);
  try {
    const first = (await process_.invoke(firstEvent)).milliseconds;
    const warm: number[] = [];
    for (let invocation = 0; invocation < WARM; invocation++) {
      warm.push((await process_.invoke(await event())).milliseconds);
    }
    runs.push({ init: process_.initMilliseconds, first, warm: median(warm) });
  } finally {
    await process_.stop();
  }
}

/**
 * Returns the events of successful requests, by function: the operation's first example, with an id that exists.
 */
async function eventsOf(environment: TestEnvironment): Promise<Map<string, () => Promise<unknown>>> {
  const newThread = async (patientId?: string) => {
    const threadId = nextThreadId();
    await environment.seed(threadItems(threadId, { question: QUESTION, answer: ANSWER }, patientId));
    return threadId;
  };
  const newPatient = async (phoneNumber?: string) => {
    const id = randomUUID();
    await environment.seed([patientItem(id, phoneNumber)], "PATIENTS_TABLE");
    await newThread(id);
    return id;
  };
  const phoneNumber = nextPhoneNumber();
  // The threads that are created belong to a patient whose threads are not listed or exported.
  const [threadId, patientId, otherId] = [await newThread(), await newPatient(phoneNumber), await newPatient()];
  const idFor = ({ path, method }: Endpoint) => {
    if (!path.includes("{id}")) {
      return undefined;
    }
    const [create, existing] = path.startsWith("/threads") ? [newThread, threadId] : [newPatient, patientId];
    return method === "DELETE" ? create() : existing;
  };
  /** The parts of bodies that depend on stored data. */
  const own: Partial<Record<EndpointName, () => object>> = {
    "create-patient": () => ({ phone_number: nextPhoneNumber() }),
    "search-patients": () => ({ phone_number: phoneNumber }),
    "create-thread": () => ({ patientId: otherId }),
    chat: () => ({ threadId, message: QUESTION }),
  };
  const events = registry.map(({ endpoint, operation }) => {
    const [example] = Object.values((operation() as Operation).requests ?? {}) as (object | undefined)[];
    return [
      endpoint.name,
      async () =>
        proxyEvent({
          path: endpoint.path,
          method: endpoint.method,
          id: await idFor(endpoint),
          body: example && { ...example, ...own[endpoint.name]?.() },
        }),
    ] as const;
  });
  const sweep = async () => ({ source: "aws.events", "detail-type": "Scheduled Event" });
  return new Map<string, () => Promise<unknown>>([...events, ["sweep-threads", sweep]]);
}
