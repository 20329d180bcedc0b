import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openStream } from "../helpers/service/event-stream.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";
import { Template, target } from "../helpers/template/template.ts";

const template = new Template(process.env.TEST_CLOUD_ASSEMBLY ?? "");
const functionLogs = template
  .ofType("AWS::Lambda::Function")
  .map(([, { Properties }]) => target(Properties.LoggingConfig.LogGroup));
const filters = template
  .ofType("AWS::Logs::MetricFilter")
  .filter(
    ([id, { Properties }]) => functionLogs.includes(target(Properties.LogGroupName)) && !id.includes("KeysNotRead"),
  );

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** The event of a log line; metrics lines have none. */
const eventOf = (line: string): string | undefined => JSON.parse(line).message?.event;

/** The number of lines logged by an action that the alarms' metric filter counts. */
async function failuresOf(act: () => Promise<unknown>): Promise<number> {
  const before = service.logs.length;
  await act();
  const requestEnds = () => service.logs.slice(before).some((line) => eventOf(line) === "request");
  for (let tries = 0; !requestEnds() && tries < 600; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return service.logs.slice(before).filter((line) => eventOf(line) === "failure").length;
}

test("the alarms count the failure lines of the functions", () => {
  expect(filters).toHaveLength(15);
  for (const [, { Properties }] of filters) {
    expect(Properties.FilterPattern).toBe('{ $.message.event = "failure" }');
    expect(Properties.MetricTransformations).toEqual([expect.objectContaining({ MetricValue: "1" })]);
  }
});

test("a server-side failure logs one failure line, streamed or not", async () => {
  service.model.script = () => ({ status: 401 });
  const chat = () => service.call("POST", "/chat", { body: { message: "hello" } });
  expect(await failuresOf(chat)).toBe(1);
  expect(await failuresOf(async () => (await openStream(service, { message: "hello" })).rest())).toBe(1);
});

test("a client error logs no failure line", async () => {
  expect(await failuresOf(() => service.call("GET", "/threads/00000"))).toBe(0);
  expect(await failuresOf(() => service.call("POST", "/chat", { body: {} }))).toBe(0);
  expect(await failuresOf(() => service.call("POST", "/chat", { body: { message: "hello" }, key: "unknown" }))).toBe(0);
});
