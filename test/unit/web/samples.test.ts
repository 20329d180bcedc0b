import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";
import { SAMPLES, type SampleRequest } from "../../../web/samples.ts";

const RUNTIMES: Record<string, string[]> = {
  curl: ["sh", "-c"],
  JavaScript: [process.execPath, "--input-type=module", "--eval"],
  Python: ["python3", "-c"],
};

/** Runs a sample as a reader would and returns its requests. */
async function sentBy(language: string, request: SampleRequest, key = "the key") {
  const seen: { method?: string; url?: string; key?: unknown; body: string }[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    seen.push({ method, url, key: headers["x-api-key"], body: await text(incoming) });
    response.setHeader("content-type", "application/json").end('{"success": true}');
  });
  const { origin, stop } = await listenOnLoopback(server);
  const [command = "", ...args] = RUNTIMES[language] ?? [];
  const child = spawn(command, [...args, SAMPLES[language]?.(request) ?? ""], {
    env: { ...process.env, BASE_URL: `${origin}/v1`, API_KEY: key },
  });
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  stop();
  return { seen, output };
}

/** A command line is for the shell of its reader's system, and not every machine has Python. */
const isRunnable = (language: string) => {
  const [command = ""] = RUNTIMES[language] ?? [];
  return command === "sh" ? process.platform !== "win32" : spawnSync(command, ["--version"]).status === 0;
};

describe.each(Object.keys(SAMPLES).filter(isRunnable))("the sample in %s", (language) => {
  test("sends what the operation requires and prints the response", async () => {
    const body = {
      message: 'It\'s "true", ünïcode 🚑\\ $(no) {"a": null}',
      yes: true,
      none: null,
      list: [1, { a: "b" }],
    };
    const { seen, output } = await sentBy(language, {
      method: "POST",
      path: "/chat",
      withKey: true,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(seen).toEqual([{ method: "POST", url: "/v1/chat", key: "the key", body: expect.any(String) }]);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual(body);
    expect(output).toMatch(/success/);
  });

  test("makes the same request with the client, where it has a method for it", async () => {
    const request = {
      method: "PATCH",
      path: "/patients/p-1",
      withKey: true,
      headers: { "Content-Type": "application/json" },
      body: '{"name": "Ann \\"é\\""}',
      call: { method: "updatePatient", parameters: ["p-1"] },
    };
    const { seen, output } = await sentBy(language, request, "the-key"); // the client takes no key with a space
    expect(seen).toEqual([{ method: "PATCH", url: "/v1/patients/p-1", key: "the-key", body: expect.any(String) }]);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ name: 'Ann "é"' });
    expect(output).toMatch(/success/);
  });

  test("sends no key and no body where none are needed", async () => {
    const { seen, output } = await sentBy(language, { method: "GET", path: "/openapi.json", withKey: false });
    expect(seen).toEqual([{ method: "GET", url: "/v1/openapi.json", key: undefined, body: "" }]);
    expect(output).toMatch(/success/);
  });

  test("can delete", async () => {
    const { seen } = await sentBy(language, { method: "DELETE", path: "/threads/48213", withKey: true });
    expect(seen).toEqual([{ method: "DELETE", url: "/v1/threads/48213", key: "the key", body: "" }]);
  });
});
