import { expect, test } from "@jest/globals";
import { threadKey } from "../../shared/dynamo/keys.ts";
import { tenantNamed } from "../../shared/tenant.ts";
import { createThread } from "../../shared/threads/create-thread.ts";
import { CALLER, newContext } from "../helpers/caller.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();
const CROWDED = tenantNamed("crowded-tenant");
const noOpening = async () => undefined;

test("a tenant with all 90,000 ids in use gets an error; another tenant creates threads as usual", async () => {
  const ids = Array.from({ length: 90_000 }, (_, index) => String(10_000 + index));
  await storage.seed(...ids.map((id) => ({ ...threadKey(CROWDED, id), generation: "taken" })));
  const crowded = { ...CALLER, tenant: CROWDED };
  await expect(createThread(newContext(crowded), {}, { openingTurn: noOpening })).rejects.toThrow("no free thread id");
  const { threadId } = (await createThread(newContext(), {}, { openingTurn: noOpening })).body;
  expect(ids).toContain(threadId);
}, 600_000);
