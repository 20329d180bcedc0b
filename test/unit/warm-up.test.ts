import { expect, test } from "@jest/globals";
import { warmUp } from "../../shared/warm-up.ts";

test("what fails while a function initializes, at once or later, ends nothing, and the rest is done", async () => {
  let done = false;
  await warmUp(
    () => {
      throw new Error("a setting is missing");
    },
    () => Promise.reject(new Error("a server is down")),
    async () => {
      done = true;
    },
  );
  expect(done).toBe(true);
});
