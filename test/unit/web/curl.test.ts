import { spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { type ApiRequest, toCurl } from "../../../web/curl.ts";
import { describeOnPosix } from "../../helpers/posix.ts";

/** The arguments that a shell passes to curl, which is replaced by a function that prints them. */
function argumentsOf(request: ApiRequest): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\nBASE_URL=https://host/v1\nAPI_KEY='the key'\n${toCurl(request)}`;
  const { stdout, stderr } = spawnSync("/bin/sh", ["-c", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\0").slice(0, -1);
}

describeOnPosix("a request as a command", () => {
  test("states a method that curl would not infer", () => {
    expect(argumentsOf({ method: "POST", path: "/threads", withKey: false }).slice(0, 2)).toEqual(["-X", "POST"]);
    expect(argumentsOf({ method: "POST", path: "/threads", withKey: false, body: "{}" })).not.toContain("-X");
  });

  test("shows a stream as it arrives", () => {
    const headers = { accept: "text/event-stream" };
    expect(argumentsOf({ method: "POST", path: "/chat", withKey: false, headers, body: "{}" })[0]).toBe("-N");
  });

  test.each([
    `{"message": "It's \\"5 o'clock\\""}`,
    "$(echo no) `echo no` $API_KEY \\",
    "two\nlines, and ünïcode 🚑",
    "",
  ])("passes any input unchanged: %j", (text) => {
    const request = {
      method: "POST",
      path: `/threads/${text}`,
      withKey: false,
      headers: { "x-own": text },
      body: text,
    };
    expect(argumentsOf(request)).toEqual([`https://host/v1/threads/${text}`, "-H", `x-own: ${text}`, "-d", text]);
  });
});
