import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { HandlerReport } from "./handler-process.ts";
import { round } from "./statistics.ts";
import type { Table } from "./table.ts";

/** What a request takes of the processor, apart from IO. */
export async function measureHandlers(): Promise<Table> {
  const child = fork(join(import.meta.dirname, "handler-process.ts"), {
    env: {},
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [reports] = (await once(child, "message")) as [HandlerReport[]];
  await once(child, "exit");
  return {
    title: "Handlers without IO",
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
      "JSON alone parses all that comes in (event, body, what database and model answer) and serializes all that goes out.",
      "The handler is given a parsed event; the whole parses it too, and serializes the response.",
      "Stubbed: send() of DynamoDB's and Secrets Manager's clients, create() of the model's, the console.",
    ],
  };
}
