import { setTimeout } from "node:timers/promises";

/**
 * Reads something again and again until it is as expected, such as a log that another process writes, or until some
 * 20 s have passed.
 *
 * @returns what was read last, for the test to look at
 */
export async function eventually<T>(read: () => T | Promise<T>, asExpected: (value: T) => boolean): Promise<T> {
  let value = await read();
  for (let tries = 0; tries < 400 && !asExpected(value); tries++) {
    await setTimeout(50);
    value = await read();
  }
  return value;
}
