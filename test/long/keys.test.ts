import { describe, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { runKeys } from "../helpers/keys-script.ts";
import { metricsIn, valuesOf } from "../helpers/service/metrics.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

/** As on AWS, except that keys are cached for a second instead of a minute. */
const service = setUpService({ SECRETS_CACHE_SECONDS: "1" });

/** Runs the script against the local service, with the options that `npm start` prints. */
async function keys(command: string, ...args: string[]): Promise<string> {
  const { endpoint, secretId } = service.apiKeys;
  const where = ["--endpoint", endpoint, "--secret-id", secretId];
  const { code, stdout, stderr } = await runKeys([command, ...args, ...where]);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return stdout.trim();
}

/** The response statuses of several functions for a key. Each function runs in its own process with its own cache. */
async function statuses(key: string): Promise<number[]> {
  const replies = await Promise.all([
    service.call("GET", "/threads/00000", { key }),
    service.call("DELETE", "/threads/00000", { key }),
    service.call("GET", "/patients/00000000-0000-4000-8000-000000000000", { key }),
    service.call("POST", "/threads", { key, body: {} }),
  ]);
  return replies.map(({ status }) => status);
}
const ACCEPTED = [404, 404, 404, 201];
const REJECTED = [401, 401, 401, 401];

/** Waits until all functions respond to a key as expected, and returns their statuses. */
const settled = (key: string, expected: number[]) =>
  eventually(
    () => statuses(key),
    (found) => found.join() === expected.join(),
  );

describe("npm run keys, while the service runs", () => {
  let added: string;
  let rotated: string;

  test("adds a client, whose key then works", async () => {
    expect(await statuses("clinic-a")).toEqual(REJECTED);
    added = await keys("add", "--client", "clinic-a");
    expect(await settled(added, ACCEPTED)).toEqual(ACCEPTED);
    expect(await statuses(API_KEY)).toEqual(ACCEPTED);
  });

  test("rotates a key: both keys work, and uses of the previous one are counted and logged", async () => {
    rotated = await keys("rotate", "--client", "clinic-a");
    expect(await settled(rotated, ACCEPTED)).toEqual(ACCEPTED);
    const before = service.logs.length;
    expect(await statuses(rotated)).toEqual(ACCEPTED);
    expect(await statuses(added)).toEqual(ACCEPTED);
    const counted = () => valuesOf(metricsIn(service.logs.slice(before)), "PreviousKeyUsed", {});
    expect(await eventually(counted, ({ length }) => length === 4)).toEqual([1, 1, 1, 1]);
    const marked = () => service.logs.slice(before).filter((line) => line.includes('"previousKey":true'));
    expect(await eventually(marked, ({ length }) => length === 4)).toHaveLength(4);
  });

  test("ends the overlap: only the new key works", async () => {
    await keys("end-overlap", "--client", "clinic-a");
    expect(await settled(added, REJECTED)).toEqual(REJECTED);
    expect(await statuses(rotated)).toEqual(ACCEPTED);
  });

  test("revokes a client, whose key stays invalid when another client is added", async () => {
    await keys("revoke", "--client", "clinic-a");
    expect(await settled(rotated, REJECTED)).toEqual(REJECTED);
    const other = await keys("add", "--client", "clinic-b");
    expect(await settled(other, ACCEPTED)).toEqual(ACCEPTED);
    expect(await statuses(rotated)).toEqual(REJECTED);
    expect(await statuses(API_KEY)).toEqual(ACCEPTED);
  });

  test("lists the clients without keys, and no key is ever logged", async () => {
    expect(await keys("list")).toBe("local     one key\nclinic-b  one key");
    const log = service.logs.join("\n");
    expect([added, rotated, API_KEY].filter((key) => log.includes(key))).toEqual([]);
  });
});
