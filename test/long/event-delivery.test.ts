import { beforeEach, expect, jest, test } from "@jest/globals";
import { deliverInChaos } from "../helpers/database/delivery-chaos.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

const storage = setUpStorage();
beforeEach(() => {
  jest.spyOn(console, "info").mockReturnValue();
});

/** `EVENTS=1000 npm run test:long -- test/long/event-delivery` for more. */
const EVENTS = Number(process.env.EVENTS ?? 100);

// test/storage/event-delivery.test.ts does the same with fewer events.
test(`with random failures of receivers and kills of the sender, ${EVENTS} events arrive, signed, and nothing else`, async () => {
  const chaos = await deliverInChaos(storage, EVENTS);
  expect(chaos.committed).toHaveLength(EVENTS);
  expect([...chaos.accepted].sort()).toEqual(chaos.committed.toSorted());
  expect(new Set(chaos.got.map(({ headers }) => headers["webhook-id"]))).toEqual(chaos.accepted);
  expect(chaos).toMatchObject({ unsigned: [], afterDeletion: 0, afterGone: 0, left: [] });
  expect(chaos.kills).toBeGreaterThan(3);
}, 1_800_000);
