import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "examples");

const service = setUpService();
beforeEach(() => {
  service.model.script = () => ({ content: "Rest and drink water." });
});

const environment = () => ({ ...process.env, BASE_URL: service.baseUrl, API_KEY, PORT: "0" });

describe("examples/backend.mjs", () => {
  let backend: ChildProcess;
  let url: string;
  beforeAll(async () => {
    backend = spawn(process.execPath, [join(EXAMPLES, "backend.mjs")], {
      env: environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    [url] = (await once(createInterface(backend.stdout as NodeJS.ReadableStream), "line")) as [string];
  });
  afterAll(() => {
    backend.kill();
  });

  async function ask(body: unknown): Promise<[number, string]> {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
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

  test("distinguishes an invalid message from a failure", async () => {
    expect((await ask({ phone: "555 123 4567", message: " " }))[0]).toBe(400);
    expect((await ask("no object"))[0]).toBe(400);
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
