import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { runKeys } from "../helpers/keys-script.ts";
import { metricsIn, valuesOf } from "../helpers/service/metrics.ts";
import { API_KEY, startTestService, type TestService } from "../helpers/service/service.ts";

/** As on AWS, but that keys are read again after a second, and not after a minute. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SECRETS_CACHE_SECONDS: "1" });
});
afterAll(() => service.stop());

/** Runs the script against the local service, as `npm start` says that it is to be run. */
async function keys(command: string, ...args: string[]): Promise<string> {
  const { endpoint, secretId } = service.apiKeys;
  const where = ["--endpoint", endpoint, "--secret-id", secretId];
  const { code, stdout, stderr } = await runKeys([command, ...args, ...where]);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return stdout.trim();
}

/** What functions that were warmed up with other keys answer to a key: each in a process of its own. */
async function statuses(key: string): Promise<number[]> {
  const replies = await Promise.all([
    service.call("GET", "/threads/00000", { key }),
    service.call("DELETE", "/threads/00000", { key }),
    service.call("GET", "/patients/00000000-0000-4000-8000-000000000000", { key }),
    service.call("POST", "/threads", { key, body: {} }),
  ]);
  return replies.map(({ status }) => status);
}
const LET_IN = [404, 404, 404, 201];
const SHUT_OUT = [401, 401, 401, 401];

/** What all functions answer to a key in the end. */
const settled = (key: string, expected: number[]) =>
  eventually(
    () => statuses(key),
    (found) => found.join() === expected.join(),
  );

describe("while the service runs, by npm run keys,", () => {
  let added: string;
  let rotated: string;

  test("a client is added, and its key works", async () => {
    expect(await statuses("clinic-a")).toEqual(SHUT_OUT);
    added = await keys("add", "--client", "clinic-a");
    expect(await settled(added, LET_IN)).toEqual(LET_IN);
    expect(await statuses(API_KEY)).toEqual(LET_IN);
  });

  test("its key is rotated: the new one works, and the old one beside it, which is counted", async () => {
    rotated = await keys("rotate", "--client", "clinic-a");
    expect(await settled(rotated, LET_IN)).toEqual(LET_IN);
    const before = service.logs.length;
    expect(await statuses(rotated)).toEqual(LET_IN);
    expect(await statuses(added)).toEqual(LET_IN);
    const counted = () => valuesOf(metricsIn(service.logs.slice(before)), "PreviousKeyUsed", { client: "clinic-a" });
    expect(await eventually(counted, ({ length }) => length === 4)).toEqual([1, 1, 1, 1]);
    const marked = () => service.logs.slice(before).filter((line) => line.includes('"previousKey":true'));
    expect(await eventually(marked, ({ length }) => length === 4)).toHaveLength(4);
  });

  test("the overlap is ended: the old key stops, the new one works on", async () => {
    await keys("end-overlap", "--client", "clinic-a");
    expect(await settled(added, SHUT_OUT)).toEqual(SHUT_OUT);
    expect(await statuses(rotated)).toEqual(LET_IN);
  });

  test("it is revoked: its key stops, and stays so when another client is added", async () => {
    await keys("revoke", "--client", "clinic-a");
    expect(await settled(rotated, SHUT_OUT)).toEqual(SHUT_OUT);
    const other = await keys("add", "--client", "clinic-b");
    expect(await settled(other, LET_IN)).toEqual(LET_IN);
    expect(await statuses(rotated)).toEqual(SHUT_OUT);
    expect(await statuses(API_KEY)).toEqual(LET_IN);
  });

  test("the clients are listed; no key of theirs is shown there, nor in any log", async () => {
    expect(await keys("list")).toBe("local     one key\nclinic-b  one key");
    const log = service.logs.join("\n");
    expect([added, rotated, API_KEY].filter((key) => log.includes(key))).toEqual([]);
  });
});
