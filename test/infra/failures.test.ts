import { expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { openStream } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";
import { Template, target } from "../helpers/template/template.ts";

const template = new Template(process.env.TEST_CLOUD_ASSEMBLY ?? "");
const functionLogs = template
  .ofType("AWS::Lambda::Function")
  .map(([, { Properties }]) => target(Properties.LoggingConfig.LogGroup));
const filters = template
  .ofType("AWS::Logs::MetricFilter")
  .filter(
    ([id, { Properties }]) =>
      functionLogs.includes(target(Properties.LogGroupName)) &&
      !id.includes("KeysNotRead") &&
      !Properties.MetricTransformations[0].MetricName.endsWith("-requests"),
  );

const service = setUpService();

/** The event of a log line; metrics lines have none. */
const eventOf = (line: string): string | undefined => JSON.parse(line).message?.event;

/** Applies the alarms' filter pattern to a log line: comparisons with texts, joined by `&&` and `||`. */
function counts(line: object): boolean {
  const pattern = filters[0]?.[1].Properties.FilterPattern.slice(1, -1);
  const condition = pattern.replace(/\$\.([\w.]+) = ("\w[\w.]*")/g, (_: string, path: string, text: string) => {
    const value = path.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], line);
    return String(value === JSON.parse(text));
  });
  expect(condition).toMatch(/^(?:true|false|&&|\|\||[() ])+$/);
  return new Function(`return ${condition}`)();
}

/** The number of lines logged by an action that the alarms' metric filter counts. */
async function failuresOf(act: () => Promise<unknown>): Promise<number> {
  const before = service.logs.length;
  await act();
  const requestEnds = () => service.logs.slice(before).some((line) => eventOf(line) === "request");
  await eventually(requestEnds, Boolean);
  return service.logs.slice(before).filter((line) => counts(JSON.parse(line))).length;
}

test("every log's alarm counts the same lines, each as one failure", () => {
  expect(filters).toHaveLength(new Set(functionLogs).size);
  for (const [, { Properties }] of filters) {
    expect(Properties.FilterPattern).toBe(filters[0]?.[1].Properties.FilterPattern);
    expect(Properties.MetricTransformations).toEqual([expect.objectContaining({ MetricValue: "1" })]);
  }
});

test.each([
  ["timeout", true],
  ["error", true],
  ["failure", true],
  ["success", false],
])("the end of an invocation with status %s is a failure: %s", (status, failure) => {
  const record = { requestId: "8f5077ca", metrics: { durationMs: 3000, billedDurationMs: 3000 }, status };
  expect(counts({ time: "2026-11-22T10:00:00.000Z", type: "platform.report", record })).toBe(failure);
  // Lambda logs the failure in another line, too; an invocation counts once.
  expect(counts({ time: "2026-11-22T10:00:00.000Z", type: "platform.runtimeDone", record })).toBe(false);
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
