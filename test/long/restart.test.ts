import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { bannerOf, type LocalProgram, npmStart } from "../helpers/npm-start.ts";
import { describeOnPosix } from "../helpers/posix.ts";
import { processes } from "../helpers/processes.ts";

const KEY = "key-of-the-test-client";

interface Running {
  process: LocalProgram;
  baseUrl: string;
}

let dataDir: string;
let running: Running | undefined;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
});
afterEach(() => {
  running?.process.kill("SIGKILL");
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** The standard error output of each process. */
let errors = "";

/** Starts the service and waits until it is ready. */
async function start(): Promise<Running> {
  const program = npmStart({ DATA_DIR: dataDir, API_KEY: KEY });
  errors = "";
  program.stderr.on("data", (data) => {
    errors += data;
  });
  const { output, baseUrl } = await bannerOf(program);
  if (!baseUrl) {
    throw new Error(`The service did not start: ${output}${errors}`);
  }
  running = { process: program, baseUrl };
  return running;
}

async function call({ baseUrl }: Running, method: string, path: string, body?: unknown) {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests of the endpoints check the shape of bodies
  return { status: response.status, body: (await response.json()) as any };
}

/** A process and all its descendants. */
function family(root: number): number[] {
  const all = processes();
  const members = [root];
  for (const member of members) {
    members.push(...all.filter(({ parent }) => parent === member).map(({ pid }) => pid));
  }
  return members;
}

/** Waits for processes to end; @returns those still running after a while. */
const survivors = (pids: number[]): Promise<number[]> =>
  eventually(
    () => processes().flatMap(({ pid }) => (pids.includes(pid) ? [pid] : [])),
    (left) => left.length === 0,
  );

/** Interrupts a service as Ctrl-C does; @returns its exit code. */
async function interrupt({ process }: Running): Promise<unknown> {
  process.kill("SIGINT");
  return (await once(process, "exit"))[0];
}

describeOnPosix("the local service", () => {
  /** Everything that the service has confirmed. */
  const patients = new Map<string, string>();
  const counts = new Map<string, number>();

  test("leaves no process behind when it is killed under load", async () => {
    const service = await start();
    const threadIds: string[] = [];
    for (let index = 0; index < 3; index++) {
      threadIds.push((await call(service, "POST", "/threads", {})).body.threadId);
    }
    let next = 0;
    const writePatients = async () => {
      while (true) {
        const phone_number = `1555${String(next++).padStart(7, "0")}`;
        const { status, body } = await call(service, "POST", "/patients", { name: "Test Person", phone_number });
        expect(status).toBe(201);
        patients.set(body.patient.id, phone_number);
      }
    };
    const chatOn = async (threadId: string) => {
      while (true) {
        const { status, body } = await call(service, "POST", "/chat", { message: "hello", threadId });
        expect(status).toBe(200);
        counts.set(threadId, body.messageCount);
      }
    };
    const writers = [writePatients(), writePatients(), ...threadIds.map(chatOn)].map(async (writer) => {
      await expect(writer).rejects.toThrow(/^(fetch failed|terminated)$/); // it ends only with the kill
    });
    while (patients.size < 20 || counts.size < 3 || Math.min(...counts.values()) < 10) {
      await setTimeout(10);
    }
    const started = family(service.process.pid as number);
    expect(started.length).toBeGreaterThan(4); // itself, the database and functions
    service.process.kill("SIGKILL");
    await once(service.process, "exit");
    await Promise.all(writers);
    expect(await survivors(started)).toEqual([]);
  });

  test("still has everything it confirmed after a restart", async () => {
    const service = await start();
    await Promise.all(
      [...patients].map(async ([id, phone_number]) => {
        const { status, body } = await call(service, "GET", `/patients/${id}`);
        expect({ status, phone: body.patient?.phone_number }).toEqual({ status: 200, phone: phone_number });
        expect((await call(service, "POST", "/patients", { phone_number })).status).toBe(409);
      }),
    );
    for (const [threadId, count] of counts) {
      const { thread } = (await call(service, "GET", `/threads/${threadId}`)).body;
      // The kill may have interrupted the confirmation of one committed turn.
      expect([count, count + 2]).toContain(thread.messageCount);
      const next = await call(service, "POST", "/chat", { message: "hello again", threadId });
      expect(next).toMatchObject({ status: 200, body: { messageCount: thread.messageCount + 2 } });
    }

    const started = family(service.process.pid as number);
    expect(await interrupt(service)).toBe(0);
    expect(await survivors(started)).toEqual([]);
  });

  test("starts only once when it is started twice at the same time", async () => {
    const starts = await Promise.allSettled([start(), start()]);
    const [started, ...more] = starts.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(more).toEqual([]);
    expect(starts.find(({ status }) => status === "rejected")).toMatchObject({
      reason: expect.objectContaining({
        message: expect.stringContaining(
          `Another local service is using the data folder ${dataDir}; stop it, or set DATA_DIR to another folder.\n`,
        ),
      }),
    });
    running = started as Running;
    const [id = ""] = patients.keys();
    expect((await call(running, "GET", `/patients/${id}`)).status).toBe(200);
    await interrupt(running);
  });

  test("exits with a one-sentence error when its database is killed, and has everything after a restart", async () => {
    const service = await start();
    const { id } = (await call(service, "POST", "/patients", { name: "Last Person" })).body.patient;
    const started = family(service.process.pid as number);
    const exited = once(service.process, "exit");
    const database = processes().find(({ pid, command }) => started.includes(pid) && /^\S*dynoxide /.test(command));
    process.kill(Number(database?.pid), "SIGKILL");
    const [code] = await exited;
    expect(code).toBe(1);
    expect(errors).toBe("The database has ended; everything that was confirmed is stored. Start the service again.\n");
    expect(await survivors(started)).toEqual([]);
    const again = await start();
    expect((await call(again, "GET", `/patients/${id}`)).status).toBe(200);
    await interrupt(again);
  });
});
