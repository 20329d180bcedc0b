import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { HandlerReport } from "./handler-process.ts";
import { round } from "./statistics.ts";
import type { Table } from "./table.ts";

/** Measures the CPU time of a request without I/O. */
export async function measureHandlers(): Promise<Table> {
  const child = fork(join(import.meta.dirname, "handler-process.ts"), {
    env: {},
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [reports] = (await once(child, "message")) as [HandlerReport[]];
  await once(child, "exit");
  return {
    title: "Handlers without I/O",
    columns: ["request", "JSON alone us", "handler us", "whole us", "handler x JSON", "whole x JSON"],
    rows: reports.map(({ name, floor, handler, whole, handlerRatio, wholeRatio }) => [
      name,
      round(floor),
      round(handler),
      round(whole),
      round(handlerRatio, 2),
      round(wholeRatio, 2),
    ]),
    notes: [
      "JSON alone parses every input (event, body, responses of database and model) and serializes every output " +
        "(requests to them, response, log lines, metrics).",
      "The handler gets a parsed event; whole also parses the event and serializes the response.",
      "Stubbed: send() of the DynamoDB and Secrets Manager clients, create() of the model's client, the console, the " +
        "response stream of Lambda. The AWS SDK's own work is in neither figure.",
    ],
  };
}
