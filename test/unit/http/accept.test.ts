import { expect, test } from "@jest/globals";
import { prefersEventStream } from "../../../shared/http/accept.ts";

test.each([
  // One of the two
  [undefined, "JSON"],
  ["", "JSON"],
  ["application/json", "JSON"],
  ["text/event-stream", "events"],
  ["text/event-stream; charset=utf-8", "events"],
  // Quality
  ["text/event-stream;q=0, application/json", "JSON"],
  ["text/event-stream;q=0", "JSON"],
  ["application/json;q=0.9,text/event-stream", "events"],
  ["application/json;Q=0.9 , TEXT/EVENT-STREAM;Q=1.0", "events"],
  // Ties
  ["application/json, text/event-stream", "JSON"],
  ["application/json;q=0, text/event-stream;q=0", "JSON"],
  // Wildcards
  ["*/*", "JSON"],
  ["text/*", "events"],
  ["application/*", "JSON"],
  ["text/event-stream, */*", "events"],
  ["text/event-stream;q=0.5, */*", "JSON"],
  // Neither
  ["text/html,application/xhtml+xml", "JSON"],
  ["text/event-streams", "JSON"],
  // Malformed
  ["text/event-stream;q=high", "JSON"],
  ["text/event-stream;q=2", "JSON"],
  ["text/event-stream;q=-1", "JSON"],
  ["event-stream, ;q=1, /, text/", "JSON"],
  [",, ;;, text/event-stream", "events"],
])("Accept: %s gets %s", (accept, expected) => {
  expect(prefersEventStream(accept) ? "events" : "JSON").toBe(expected);
});
