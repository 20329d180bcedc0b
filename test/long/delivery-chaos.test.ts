import { beforeEach, expect, jest, test } from "@jest/globals";
import { deliverInChaos } from "../helpers/database/delivery-chaos.ts";
import { setUpStorage } from "../helpers/database/storage.ts";

/** `EVENTS=1000 npm run test:long -- delivery-chaos` for more. */
const EVENTS = Number(process.env.EVENTS ?? 300);

const storage = setUpStorage();
beforeEach(() => {
  process.env.WEBHOOKS_TO_LOOPBACK = "true";
  for (const method of ["info", "warn"] as const) {
    jest.spyOn(console, method).mockReturnValue();
  }
});

test("with random failures of receivers and kills of the sender, every event arrives, signed, and nothing else", async () => {
  const chaos = await deliverInChaos(storage, EVENTS);
  expect(chaos.committed).toHaveLength(EVENTS);
  expect([...chaos.accepted].sort()).toEqual(chaos.committed.toSorted());
  expect(new Set(chaos.got.map(({ headers }) => headers["webhook-id"]))).toEqual(chaos.accepted);
  expect(chaos).toMatchObject({ unsigned: [], afterDeletion: 0, afterGone: 0, left: [] });
  expect(chaos.kills).toBeGreaterThan(3);
}, 1_800_000);
