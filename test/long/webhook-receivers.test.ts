import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { expect, test } from "@jest/globals";
import { listenOnLoopback } from "../../packages/lambda-local/loopback.ts";
import { installFromPyPi } from "../../tools/pypi.ts";
import { eventually } from "../helpers/eventually.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService({});

/** Returns the program of the guide to events in a language, by the name of its code block. */
function receiverOfGuide(language: "js" | "python"): string {
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
async function expectToReceive(command: string, args: string[]): Promise<void> {
  const free = await listenOnLoopback(createServer());
  free.stop();
  const url = `${free.origin}/`;
  const body = { url, events: ["handoff.requested"] };
  const created = (await service.call("POST", "/webhooks", { body })).body;
  const receiver = spawn(command, args, {
    env: { ...process.env, WEBHOOK_SECRET: created.secret, PORT: new URL(url).port },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const lines = createInterface(receiver.stdout);
    const forged = () => fetch(url, { method: "POST", body: "{}" }).catch(() => undefined);
    expect((await eventually(forged, Boolean))?.status).toBe(400); // once it listens
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

test("the guide's receiver in Node verifies an event, and refuses a message that the service has not signed", () =>
  expectToReceive(process.execPath, ["--input-type=module", "--eval", receiverOfGuide("js")]));

test("the guide's receiver in Python does, too, or its package cannot be installed here", async () => {
  const installed = await installFromPyPi("standardwebhooks==1.1.0", "python");
  if ("missing" in installed) {
    process.stderr.write(`Skipped: ${installed.missing}.\n`);
    return;
  }
  await expectToReceive(installed.program, ["-c", receiverOfGuide("python")]);
}, 600_000);
