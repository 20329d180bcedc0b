import { expect, test } from "@jest/globals";
import { warmUp } from "../../../shared/http/warm-up.ts";

test("warmUp ignores synchronous and asynchronous failures and runs the remaining tasks", async () => {
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
