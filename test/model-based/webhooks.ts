import { expect } from "@jest/globals";
import { type Client, call } from "./world.ts";

/** A tenant may have ten; two clients create these. */
const MOST_OF_A_CLIENT = 4;

export const ownWebhooks = ({ webhooks }: Client) => webhooks;

/** It is for events that do not happen here, since nobody listens. */
export async function createWebhook(_: unknown, client: Client): Promise<void> {
  if (client.webhooks.length < MOST_OF_A_CLIENT) {
    const url = `http://127.0.0.1:9/${client.tenant.name}`;
    const { status, body } = await call(client, "POST", "/webhooks", { body: { url, events: ["handoff.unanswered"] } });
    expect({ status, url: body.webhook?.url }).toEqual({ status: 201, url });
    client.webhooks.push(body.webhook.id);
    client.tenant.webhooks.add(body.webhook.id);
  }
}

/** The list has all of the client's own, and none that clients of the tenant did not create. */
export async function listWebhooks(_: unknown, client: Client): Promise<void> {
  const ids = await idsOf(client);
  expect(ids).toEqual(expect.arrayContaining(client.webhooks));
  expect(ids.filter((id) => !client.tenant.webhooks.has(id))).toEqual([]);
}

async function idsOf(client: Client): Promise<string[]> {
  const { body } = await call(client, "GET", "/webhooks");
  return body.webhooks.map(({ id }: { id: string }) => id);
}

export async function rotateSecret(id: string, client: Client): Promise<void> {
  const { status, body } = await call(client, "POST", `/webhooks/${id}/rotate`);
  expect({ status, secret: body.secret }).toEqual({ status: 200, secret: expect.stringMatching(/^whsec_/) });
}

export async function deleteWebhook(id: string, client: Client): Promise<void> {
  client.webhooks = client.webhooks.filter((one) => one !== id);
  expect((await call(client, "DELETE", `/webhooks/${id}`)).status).toBe(200);
  expect((await call(client, "DELETE", `/webhooks/${id}`)).status).toBe(404);
}

/** Deletes what earlier runs have left. */
export async function deleteLeftWebhooks(client: Client): Promise<void> {
  for (const id of await idsOf(client)) {
    await call(client, "DELETE", `/webhooks/${id}`);
  }
}
