import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createInterface } from "node:readline";
import { expect } from "@jest/globals";
import type { TestService } from "./service.ts";

/** Returns the program of the guide to events in a language, by the name of its code block. */
export function receiverOfGuide(language: "js" | "python"): string {
  const guide = readFileSync("web/docs/guides/events.md", "utf8");
  const program = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(guide)?.[1];
  expect(program).toBeDefined();
  return program ?? "";
}

/**
 * Expects a receiver to print an event that the service sends, and to refuse a message that the service has not signed.
 *
 * @param command starts the receiver, which has its secret and port in the environment
 */
export async function expectToReceive(service: TestService, command: string, args: string[]): Promise<void> {
  const port = await freePort();
  const body = { url: `http://127.0.0.1:${port}/`, events: ["handoff.requested"] };
  const created = (await service.call("POST", "/webhooks", { body })).body;
  const receiver = spawn(command, args, {
    env: { ...process.env, WEBHOOK_SECRET: created.secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    await listening(port);
    const lines = createInterface(receiver.stdout);
    const forged = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
    expect(forged.status).toBe(400);
    const threadId = await service.newThread();
    const printed = once(lines, "line");
    await service.chat({ message: "Can I talk to a real person?", threadId });
    expect((await printed)[0]).toMatch(new RegExp(`^evt_\\w+ handoff.requested {"threadId": ?"${threadId}",.*}$`));
    const tested = once(lines, "line");
    await service.call("POST", `/webhooks/${created.webhook.id}/test`);
    expect((await tested)[0]).toMatch(/^\w+ webhook.test {.*}$/);
  } finally {
    receiver.kill();
    await service.call("DELETE", `/webhooks/${created.webhook.id}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
