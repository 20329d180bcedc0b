import { expect, test } from "@jest/globals";
import { retries } from "../../shared/dynamo/retries.ts";
import { type Actions, putNew, transact } from "../../shared/dynamo/transact.ts";
import { canceled } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();

const key = (pk: string) => ({ pk, sk: "~item" });
const create = (pk: string) => putNew(String(process.env.THREADS_TABLE), key(pk));

/**
 * Executes a transaction, in at most two attempts, and returns the writes whose conditions failed, with the stored
 * items.
 */
async function refusedOf(actions: Actions<"first" | "optional" | "several" | "last">) {
  return (await transact(() => actions, retries({ attempts: 1 })))?.failed;
}

test.each<[string, string | undefined, string[]]>([
  ["when every write is present", "free-1", ["free-2", "free-3"]],
  ["when one is left out", undefined, ["free-2", "free-3"]],
  ["when a list is empty", "free-1", []],
])("a refused transaction names the writes whose conditions failed %s", async (_, optional, several) => {
  await storage.seed(key("taken"));
  const others = {
    first: create("free"),
    optional: optional === undefined ? undefined : create(optional),
    several: several.map(create),
  };
  const failed = { item: key("taken") };
  expect(await refusedOf({ ...others, last: create("taken") })).toEqual({ last: failed });
  expect(await refusedOf({ ...others, several: [...others.several, create("taken")] })).toEqual({ several: failed });
  expect(await refusedOf(others)).toBeUndefined();
  await storage.clear();
});

test.each([
  ["ThrottlingError", 2],
  ["None", 2],
  ["ValidationError", 1],
  ["ItemCollectionSizeLimitExceeded", 1],
])("a transaction that is canceled once for the reason %s is tried %i times", async (reason, tries) => {
  storage.faults.reset();
  storage.faults.fail("TransactWriteItems", canceled(reason));
  const refused = refusedOf({ first: create(reason) });
  await (tries > 1 ? expect(refused).resolves.toBeUndefined() : expect(refused).rejects.toThrow(reason));
  expect(storage.faults.calls()).toBe(tries);
});
