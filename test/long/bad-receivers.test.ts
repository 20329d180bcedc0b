import { expect, test } from "@jest/globals";
import { received, startBadReceivers } from "../helpers/service/bad-receivers.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService({ SECRETS_CACHE_SECONDS: "1" });

const EVENTS = 500;
/** After so many events, there is one for the bad receivers too. */
const EVERY = 10;
const LANES = 2;

// test/api/bad-receivers.test.ts asserts that nothing waits.
test(`measures how late ${EVENTS} events are beside ten bad receivers`, async () => {
  const { good, bad, cause, stop } = await startBadReceivers(service);
  const lateness: number[] = [];
  good.answer = (response, { body }) => {
    lateness.push(Date.now() - Date.parse(body.timestamp));
    response.writeHead(204).end();
  };
  await cause("bad");
  await Promise.all(bad.map((receiver) => received(receiver, 1)));
  const lane = async () => {
    for (let number = 0; number < EVENTS / LANES; number++) {
      await cause("good");
      if (number % EVERY === 0) {
        await cause("bad");
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(await received(good, EVENTS)).toBe(EVENTS);
  await stop();
  lateness.sort((one, other) => one - other);
  const percentile = (share: number) => lateness.at(Math.ceil(share * EVENTS) - 1);
  process.stderr.write(
    `Milliseconds from the event to its receiver: p50 ${percentile(0.5)}, p99 ${percentile(0.99)}, most ${lateness.at(-1)}\n`,
  );
}, 600_000);
