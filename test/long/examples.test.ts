import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { describeOnPosix } from "../helpers/posix.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "examples");

const service = setUpService();
beforeEach(() => {
  service.model.script = () => ({ content: "Rest and drink water." });
});

const environment = () => ({ ...process.env, BASE_URL: service.baseUrl, API_KEY, PORT: "0" });

describe("examples/backend.mjs", () => {
  const backends: ChildProcess[] = [];
  let url: string;
  beforeAll(async () => {
    url = await startBackend({});
  });
  afterAll(() => {
    for (const backend of backends) {
      backend.kill();
    }
  });

  async function startBackend(settings: NodeJS.ProcessEnv): Promise<string> {
    const backend = spawn(process.execPath, [join(EXAMPLES, "backend.mjs")], {
      env: { ...environment(), ...settings },
      stdio: ["ignore", "pipe", "ignore"],
    });
    backends.push(backend);
    const [address] = await once(createInterface(backend.stdout as NodeJS.ReadableStream), "line");
    return address;
  }

  async function ask(body: unknown, address = url): Promise<[number, string]> {
    const response = await fetch(address, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return [response.status, await response.text()];
  }

  test("answers on one thread per phone number", async () => {
    const requests = service.model.requests.length;
    expect(await ask({ phone: "555 123 4567", message: "Hello" })).toEqual([200, "Rest and drink water.\n"]);
    expect(await ask({ phone: "555 123 4567", message: "And then?" })).toEqual([200, "Rest and drink water.\n"]);
    expect(service.model.requests).toHaveLength(requests + 2);
    const contents = service.prompt().map(({ content }) => content);
    expect(contents.slice(1)).toEqual(["Hello", expect.stringContaining("Rest"), "And then?"]);
  });

  test.each([
    ["of the app", "no JSON", {}, 400, /^The app has to send/],
    ["of the app, without a message", { phone: "555 123 4567" }, {}, 400, /^The app has to send/],
    [
      "of the user",
      { phone: "555 123 4567", message: " " },
      {},
      400,
      /^This cannot be sent. Please correct it: message /,
    ],
    ["of whoever set the key", undefined, { API_KEY: "wrong" }, 502, /Trying again does not help/],
    ["of whoever runs the service", undefined, { BASE_URL: "http://127.0.0.1:9/v1" }, 503, /cannot be reached/],
  ])("says who has to act: a mistake %s", async (_, body, settings, status, answer) => {
    const address = Object.keys(settings).length > 0 ? await startBackend(settings) : url;
    const reply = await ask(body ?? { phone: "555 123 4567", message: "Hello" }, address);
    expect(reply).toEqual([status, expect.stringMatching(answer)]);
  });
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

(hasPython ? describe : describe.skip)("examples/visit.py", () => {
  test("creates a patient, chats and deletes the thread", async () => {
    const script = spawn("python3", [join(EXAMPLES, "visit.py")], { env: environment() });
    const [output, errors] = await Promise.all([text(script.stdout), text(script.stderr), once(script, "close")]);
    expect(errors).toBe("");
    expect(output.split("\n")).toEqual([
      "patient 201 15551234567",
      "> Which vitamins do I need in winter?",
      "Rest and drink water.",
      "> Is it enough to eat vegetables?",
      "Rest and drink water.",
      "messages 4",
      "deleted True",
      "afterwards 404 {'error': 'Thread not found or expired'}",
      "",
    ]);
  });
});

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** The blocks of commands in a document. */
const blocksOf = (markdown: string) => [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);

/**
 * Runs commands, one after the other, against the test's service, and returns the status of each request and the
 * output.
 */
async function run(commands: string): Promise<{ statuses: string[]; output: string }> {
  const here = commands.replaceAll("http://127.0.0.1:3000/v1", service.baseUrl).replaceAll("local-dev-key", API_KEY);
  const script = `curl() { command curl -w '%{stderr}%{http_code}\\n' "$@"; }\n${here}`;
  const shell = spawn("/bin/sh", ["-c", script]);
  const [output, errors] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  return { statuses: errors.match(/^\d{3}$/gm) ?? [], output };
}

(hasCurl ? describeOnPosix : describe.skip)("commands run as printed:", () => {
  test("the README's first conversation", async () => {
    const [, conversation = ""] = /^## A first conversation$(.*?)^## /ms.exec(readFileSync("README.md", "utf8")) ?? [];
    const { statuses, output } = await run(blocksOf(conversation).join(""));
    expect(["201", "409"]).toContain(statuses.shift()); // the patient exists if the script above has created it
    expect(statuses).toEqual(["201", "200", "200", "200", "200", "200", "404"]);
    expect(output).toMatch(/event: done.*"messageCount":6.*Thread deleted successfully.*Thread not found or expired/s);
  });

  test("those of the guides", async () => {
    const guides = ["authentication", "threads", "handoff", "events", "sources", "fhir", "retries", "openai"].map(
      (name) => readFileSync(`web/docs/guides/${name}.md`, "utf8"),
    );
    const blocks = guides.flatMap(blocksOf);
    expect(blocks).toHaveLength(10);
    const { statuses, output } = await run(`${blocks.join("")}echo; echo "$THREAD_ID $WEBHOOK_SECRET $PATIENT_ID"`);
    expect(statuses).toEqual(Array(12).fill(expect.stringMatching(/^20[01]$/)));
    expect(output).toMatch(/\n\d{5} whsec_\S+ [\da-f-]{36}\n$/);
  });
});
