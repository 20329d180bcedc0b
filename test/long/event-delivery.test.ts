import { beforeEach, expect, jest, test } from "@jest/globals";
import { deliverInChaos } from "../helpers/database/delivery-chaos.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();
beforeEach(() => {
  jest.spyOn(console, "info").mockReturnValue();
});

// test/storage/event-delivery.test.ts does the same with few events.
test("with random failures of receivers and kills of the sender, 1,000 events arrive, signed, and nothing else", async () => {
  const chaos = await deliverInChaos(storage, 1_000);
  expect(chaos.committed).toHaveLength(1_000);
  expect([...chaos.accepted].sort()).toEqual(chaos.committed.toSorted());
  expect(new Set(chaos.got.map(({ headers }) => headers["webhook-id"]))).toEqual(chaos.accepted);
  expect(chaos).toMatchObject({ unsigned: [], afterDeletion: 0, afterGone: 0, left: [] });
  expect(chaos.kills).toBeGreaterThan(10);
});
