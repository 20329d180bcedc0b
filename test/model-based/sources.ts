import { expect } from "@jest/globals";
import type { Interval } from "./thread.ts";
import { type Client, call, type Tenant } from "./world.ts";

/** A tenant's sources, by their ids; the title is the id. */
const IDS = ["opening-hours", "holidays"];

/** A write of a source: its text from then on, or null if it was deleted. */
export interface SourceWrite extends Interval {
  text: string | null;
}

export const sourceIds = () => IDS;

export async function storeSource(id: string, client: Client): Promise<void> {
  const { tenant, world } = client;
  const text = `We open at ${world.next()} for ${tenant.name}.`;
  const write = { text, ...begun() };
  writesOf(tenant, id).push(write); // a chat may see it before it has been answered
  const { status, body } = await call(client, "PUT", `/sources/${id}`, { body: { title: id, text } });
  write.end = Date.now();
  expect({ status, id: body.source?.id }).toEqual({ status: 200, id });
}

export async function deleteSource(id: string, client: Client): Promise<void> {
  const write = { text: null, ...begun() };
  writesOf(client.tenant, id).push(write);
  const { status } = await call(client, "DELETE", `/sources/${id}`);
  write.end = Date.now();
  expect([200, 404]).toContain(status);
}

/** What the list says of a source is what some write has left. */
export async function readSource(id: string, client: Client): Promise<void> {
  const { status, body, interval } = await call(client, "GET", `/sources/${id}`);
  expectOneOf(client.tenant, id, status === 404 ? null : body.source.text, interval);
}

/** Deletes what earlier runs have left. */
export async function deleteLeftSources(client: Client): Promise<void> {
  for (const id of IDS) {
    await deleteSource(id, client);
  }
}

/** The model was given the tenant's sources as they were during the chat, and nothing of another tenant. */
export function expectPassages(tenant: Tenant, prompt: string, interval: Interval): void {
  const [, data = "[]"] = /<clinic_sources>\n(.*)\n<\/clinic_sources>/.exec(prompt) ?? [];
  const passages: { title: string; text: string }[] = JSON.parse(data);
  for (const id of IDS) {
    const texts = passages.filter(({ title }) => title === id).map(({ text }) => text);
    expect(texts.length).toBeLessThanOrEqual(1);
    expectOneOf(tenant, id, texts[0] ?? null, interval);
  }
}

/**
 * A text is one that was written before the end, unless another write began after its end and ended before the start.
 */
function expectOneOf(tenant: Tenant, id: string, text: string | null, { start, end }: Interval): void {
  const never: SourceWrite = { text: null, start: 0, end: 0 };
  const writes = [never, ...writesOf(tenant, id)];
  const possible = writes.filter(
    (write) =>
      write.start <= end && !writes.some((later) => later !== write && later.start > write.end && later.end < start),
  );
  expect(possible.map((write) => write.text)).toContain(text);
}

function writesOf(tenant: Tenant, id: string): SourceWrite[] {
  const writes = tenant.sources.get(id) ?? [];
  tenant.sources.set(id, writes);
  return writes;
}

function begun(): Interval {
  return { start: Date.now(), end: Number.POSITIVE_INFINITY };
}
