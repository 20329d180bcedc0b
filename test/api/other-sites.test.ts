import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { startOfflineModel } from "../../local/offline-model.ts";
import { readSettings } from "../../local/settings.ts";
import { eventually } from "../helpers/eventually.ts";
import { type ListeningPort, listeningPorts, SHOWS_LISTENERS, urlOf } from "../helpers/listening-ports.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
const open = setUpService({ CORS_ORIGIN: "https://app.example" });

/** Sends what a browser on this machine would send. */
async function send(url: string, { method = "GET", headers = {}, body = "" }): Promise<[number, string]> {
  const sent = request(url, { method, headers, signal: AbortSignal.timeout(10_000) });
  sent.end(body);
  const [response] = await once(sent, "response");
  return [response.statusCode, await text(response)];
}

const SIMPLE = { "content-type": "text/plain" }; // needs no preflight
const FOREIGN = { origin: "https://attacker.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };

/** What a browser sends for a page of another site, and for one whose name points at this machine. */
const REFUSED = [
  { origin: "https://attacker.example" },
  { origin: "null" }, // a sandboxed frame, or a file
  { host: "attacker.example", "sec-fetch-site": "same-origin" },
  { host: "attacker.example:3000", origin: "http://attacker.example:3000" },
];

/** The test's own model; and the database, whose address cannot be guessed (below). */
function isExempt(listening: ListeningPort): boolean {
  const others = [service, open].flatMap(({ dynamoDbEndpoint, model }) => [dynamoDbEndpoint, model.baseUrl]);
  return others.some((url) => new URL(url).origin === urlOf(listening));
}

describe("a page of another site", () => {
  test("cannot write with the well-known key", async () => {
    const url = `${service.baseUrl}/patients?api_key=${API_KEY}`;
    const body = JSON.stringify({ name: "Ann" });
    const [status, answer] = await send(url, { method: "POST", headers: { ...SIMPLE, ...FOREIGN }, body });
    expect(status).toBe(403);
    expect(JSON.parse(answer)).toEqual({ success: false, error: expect.stringContaining("set CORS_ORIGIN") });
  });

  test.each(["https://attacker.example", "http://localhost.attacker.example", "http://127.0.0.2", "null"])(
    "cannot write from %s with a browser that sends no Fetch Metadata (Safari before 16.4)",
    async (origin) => {
      for (const path of ["/patients", "/threads", "/chat", "/sources/hours"]) {
        for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
          const url = `${service.baseUrl}${path}?api_key=${API_KEY}`;
          const body = method === "DELETE" ? "" : "{}";
          expect((await send(url, { method, headers: { ...SIMPLE, origin }, body }))[0]).toBe(403);
        }
      }
    },
  );

  test("a page of this machine can write, with a browser that sends no Fetch Metadata", async () => {
    const { port } = new URL(service.baseUrl);
    const own = { ...SIMPLE, host: `localhost:${port}`, origin: `http://localhost:${port}` };
    for (const headers of [own, { ...own, origin: "http://localhost:5173" }]) {
      const url = `${service.baseUrl}/threads?api_key=${API_KEY}`;
      expect((await send(url, { method: "POST", headers, body: "{}" }))[0]).not.toBe(403);
    }
  });

  test("cannot submit a form as a navigation", async () => {
    const headers = { ...SIMPLE, ...FOREIGN, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const [status] = await send(`${service.baseUrl}/threads?api_key=${API_KEY}`, { method: "POST", headers });
    expect(status).toBe(403);
  });

  test("can link to the reference and the playground", async () => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect((await send(`${service.baseUrl}/docs`, { headers }))[0]).toBe(200);
    expect((await send(new URL("/", service.baseUrl).href, { headers }))[0]).toBe(200);
  });

  test("that has pointed its name at this machine reads nothing", async () => {
    for (const host of ["attacker.example:3000", "127.0.0.1.attacker.example", "localhost.attacker.example"]) {
      const [status, answer] = await send(`${service.baseUrl}/docs`, { headers: { host } });
      expect([status, answer]).toEqual([421, expect.stringContaining("set HOST")]);
    }
    for (const host of ["localhost:3000", "127.0.0.1", "[::1]:3000", "127.8.9.10"]) {
      expect((await send(`${service.baseUrl}/openapi.json`, { headers: { host } }))[0]).toBe(200);
    }
  });

  test("may call the API if it is the one that CORS_ORIGIN names", async () => {
    const url = `${open.baseUrl}/threads?api_key=${API_KEY}`;
    const from = (origin: string) => ({ method: "POST", headers: { ...SIMPLE, ...FOREIGN, origin }, body: "{}" });
    expect((await send(url, from("https://app.example")))[0]).not.toBe(403);
    expect((await send(url, from("https://attacker.example")))[0]).toBe(403);
  });

  const onLinux = SHOWS_LISTENERS ? test : test.skip;
  onLinux(
    "is answered by no port of the service's processes (skipped where the system does not show them)",
    async () => {
      const offlineModel = await startOfflineModel();
      try {
        await service.chat({ message: "Hello" }); // starts a function and its Runtime API
        const guarded = listeningPorts(process.pid).filter((one) => !isExempt(one));
        expect(guarded.length).toBeGreaterThan(4); // gateway, secrets, invocations, model, at least one function
        for (const listening of guarded) {
          for (const path of [
            "/2018-06-01/runtime/invocation/next",
            "/v1/threads",
            "/2018-06-01/runtime/invocation/x/response",
          ]) {
            for (const headers of REFUSED) {
              const url = urlOf(listening) + path;
              const answers = [await send(url, { headers }), await send(url, { method: "POST", headers, body: "{}" })];
              expect([url, headers, ...answers.map(([status]) => status === 403 || status === 421)]).toEqual([
                url,
                headers,
                true,
                true,
              ]);
            }
          }
        }
      } finally {
        offlineModel.stop();
      }
    },
  );

  test("cannot guess where the database listens", () => {
    const { hostname } = new URL(service.dynamoDbEndpoint);
    expect(hostname).toMatch(/^127\./);
    // On macOS, 127.0.0.1 is the only address of loopback.
    expect(hostname === "127.0.0.1").toBe(process.platform === "darwin");
  });
});

test("on an address that other machines can reach, the service needs a key of its own", () => {
  expect(() => readSettings({ HOST: "0.0.0.0" })).toThrow(/set API_KEY/);
  expect(readSettings({ HOST: "0.0.0.0", API_KEY: "my-own" }).host).toBe("0.0.0.0");
  for (const HOST of ["localhost", "::1", "127.0.0.2"]) {
    expect(readSettings({ HOST }).host).toBe(HOST);
  }
});

test("an erased patient's words do not stay in the database's files", async () => {
  const { id } = await service.newPatient({ phone_number: "5551239876", conditions: ["xylophobia"] });
  const threadId = await service.newThread({ patientId: id });
  await service.chat({ threadId, message: "I am afraid of xylophones." });
  const traces = () =>
    globSync(`${service.databaseFile}*`).reduce(
      (sum, file) => sum + (readFileSync(file, "latin1").match(/xylopho/g)?.length ?? 0),
      0,
    );
  expect(traces()).toBeGreaterThan(0);
  await service.call("DELETE", `/patients/${id}`);
  expect(await eventually(traces, (count) => count === 0)).toBe(0);
});
