import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
let root: string;
beforeAll(async () => {
  root = new URL("/", service.baseUrl).href;
});

describe("the root page of the local service", () => {
  test("is the playground, which can load nothing from other hosts", async () => {
    const response = await fetch(root);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'sha256-/);
    const page = await response.text();
    expect(page).toContain("<title>Playground: ");
    const markup = page.replaceAll(/<script>.*?<\/script>/gs, ""); // the policy limits what the script loads
    expect(markup.length).toBeGreaterThan(5_000);
    expect(markup).not.toMatch(/(src|href)="(?!#|data:|docs")/);
  });

  test("contains the key for its own pages but not for pages of other sites", async () => {
    const ask = (headers: Record<string, string>) => status("/local-service.json", headers);
    const { host } = new URL(root);
    expect(await ask({ host, "sec-fetch-site": "same-origin" })).toEqual([
      200,
      JSON.stringify({ apiKey: API_KEY, offlineModel: false }),
    ]);
    for (const headers of [
      { host },
      { host, "sec-fetch-site": "cross-site" },
      { host: "attacker.example", "sec-fetch-site": "same-origin" },
      { host: "127.0.0.1.attacker.example:3000", "sec-fetch-site": "same-origin" },
    ]) {
      const [refused, body] = await ask(headers as Record<string, string>);
      expect([403, 404, 421]).toContain(refused);
      expect(body).not.toContain(API_KEY);
    }
  });

  test.each([
    ["/docs", "docs"],
    ["/docs/", "docs"],
    ["/v1/docs/", "docs"],
    ["/openapi.json", "openapi.json"],
  ])("leads from %s to the stage's %s", async (path, target) => {
    const { url, status } = await fetch(new URL(path, root));
    expect([url, status]).toEqual([`${service.baseUrl}/${target}`, 200]);
  });
});

describe("the webhook inbox of the local service", () => {
  const INBOX = "/webhook-inbox";
  const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const own = () => ({ host: new URL(root).host, "sec-fetch-site": "same-origin" });
  const contents = async () => JSON.parse((await status(INBOX, own()))[1]);
  const register = (secret = SECRET) => status(INBOX, own(), "PUT", JSON.stringify({ webhookId: "wh_1", secret }));

  /** Sends a message as the service does. */
  const deliver = async (body: string, changes: Record<string, string> = {}, at = new Date()) => {
    const [id, timestamp] = ["evt_1", String(Math.floor(at.getTime() / 1000))];
    const signature = new Webhook(SECRET).sign(id, at, body);
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature, ...changes };
    return (await status(INBOX, { ...headers, "content-length": String(Buffer.byteLength(body)) }, "POST", body))[0];
  };

  beforeEach(async () => {
    await register();
  });
  afterEach(async () => {
    await status(`${INBOX}?webhook`, own(), "DELETE");
  });

  test("receives what the service sends, and says whether the signature is valid", async () => {
    const url = new URL(INBOX, root).href;
    const { webhook, secret } = (
      await service.call("POST", "/webhooks", { body: { url, events: ["handoff.requested"] } })
    ).body;
    await register(secret);
    expect((await service.call("POST", `/webhooks/${webhook.id}/test`)).body).toMatchObject({ accepted: true });
    await register();
    expect((await service.call("POST", `/webhooks/${webhook.id}/test`)).body).toMatchObject({ status: 400 });
    const { webhookId, deliveries } = await contents();
    expect([webhookId, deliveries]).toMatchObject(["wh_1", [{ valid: false, body: expect.stringContaining("test") }]]);
    await service.call("DELETE", `/webhooks/${webhook.id}`);
  });

  test("accepts only what is signed with the secret, as it was sent, within the last minutes", async () => {
    const other = new Webhook(`whsec_${Buffer.alloc(32, 8).toString("base64")}`).sign("evt_1", new Date(), "{}");
    expect([
      await deliver("{}"),
      await deliver("{}", { "webhook-id": "evt_2" }),
      await deliver("{}", { "webhook-signature": other }),
      await deliver("{}", { "webhook-signature": "" }),
      await deliver("{}", {}, new Date(Date.now() - 10 * 60_000)),
    ]).toEqual([204, 400, 400, 400, 400]);
    const { deliveries } = await contents();
    expect(deliveries.map(({ valid }: { valid: boolean }) => valid)).toEqual([false, false, false, false, true]);
  });

  test("makes the service try again while no webhook is registered, and forgets the messages with the webhook", async () => {
    await deliver("{}");
    await status(`${INBOX}?webhook`, own(), "DELETE");
    expect(await contents()).toEqual({ deliveries: [] });
    expect(await deliver("{}")).toBe(503);
    expect((await register("no secret"))[0]).toBe(400);
    expect(await contents()).toEqual({ deliveries: [] });
  });

  test("is for programs and own pages of this machine, and contains no secret", async () => {
    await deliver("{}");
    expect(JSON.stringify(await contents())).not.toContain(SECRET.slice(6));
    const { host } = new URL(root);
    for (const headers of [
      { host },
      { host, "sec-fetch-site": "cross-site" },
      { host: "attacker.example", "sec-fetch-site": "same-origin" },
    ]) {
      for (const method of ["GET", "PUT", "DELETE"]) {
        expect([403, 404, 421]).toContain((await status(INBOX, headers as Record<string, string>, method))[0]);
      }
    }
    expect(await deliver("{}", { "sec-fetch-site": "cross-site", origin: "https://attacker.example" })).toBe(403);
    expect((await contents()).deliveries).toHaveLength(1);
  });
});

/** Returns the status and body of the response to a request with headers that `fetch` does not send. */
async function status(
  path: string,
  headers: Record<string, string>,
  method = "GET",
  body?: string,
): Promise<[number | undefined, string]> {
  const sent = request(new URL(path, root), { method, headers }).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return [response.statusCode, await text(response)];
}
