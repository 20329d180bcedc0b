import { setTimeout } from "node:timers/promises";

/**
 * Polls a value, such as a log that another process writes, until it is as expected or about 20 s have passed.
 *
 * @returns the last value, for the test to assert on
 */
export async function eventually<T>(read: () => T | Promise<T>, asExpected: (value: T) => boolean): Promise<T> {
  let value = await read();
  for (let tries = 0; tries < 1_000 && !asExpected(value); tries++) {
    await setTimeout(20);
    value = await read();
  }
  return value;
}
