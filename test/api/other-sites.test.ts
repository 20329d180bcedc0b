import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { startOfflineModel } from "../../local/offline-model.ts";
import { readSettings } from "../../local/settings.ts";
import { eventually } from "../helpers/eventually.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
const open = setUpService({ CORS_ORIGIN: "https://app.example" });

/** Sends what a browser on this machine would send. */
async function send(url: string, { method = "GET", headers = {}, body = "" }): Promise<[number, string]> {
  const sent = request(url, { method, headers });
  sent.end(body);
  const [response] = await once(sent, "response");
  return [response.statusCode, await text(response)];
}

const SIMPLE = { "content-type": "text/plain" }; // needs no preflight
const FOREIGN = { origin: "https://attacker.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };

describe("a page of another site", () => {
  test("cannot write with the well-known key", async () => {
    const url = `${service.baseUrl}/patients?api_key=${API_KEY}`;
    const body = JSON.stringify({ name: "Ann" });
    const [status, answer] = await send(url, { method: "POST", headers: { ...SIMPLE, ...FOREIGN }, body });
    expect(status).toBe(403);
    expect(JSON.parse(answer)).toEqual({ success: false, error: expect.stringContaining("set CORS_ORIGIN") });
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

  test("reaches no server but the gateway", async () => {
    const model = await startOfflineModel();
    try {
      const servers = [model.baseUrl, service.apiKeys.endpoint, service.lambdaEndpoint];
      for (const url of servers) {
        for (const headers of [{ origin: "https://attacker.example" }, { host: "attacker.example" }]) {
          expect((await send(url, { method: "POST", headers }))[0]).toBe(403);
        }
      }
    } finally {
      model.stop();
    }
  });

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
