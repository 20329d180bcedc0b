import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { collect } from "../../../test/helpers/collect.ts";
import { readEvents } from "../event-stream.js";

/** Returns a stream of these bytes, split at these positions. */
function streamOf(bytes: Uint8Array, cuts: number[] = []): ReadableStream<Uint8Array> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const pieces = places.slice(1).map((end, index) => bytes.slice(places[index], end));
  return new ReadableStream({
    pull: (controller) => {
      const piece = pieces.shift();
      if (piece) {
        controller.enqueue(piece);
      } else {
        controller.close();
      }
    },
  });
}

async function read(text: string, cuts?: number[]) {
  return collect(readEvents(streamOf(new TextEncoder().encode(text), cuts)));
}

describe("an event stream", () => {
  test("is parsed the same however it is split, even within characters and line endings", async () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, ""));
    const name = fc.constantFrom("delta", "done", "error", "");
    const event = fc.record({ event: name, data: fc.array(line, { minLength: 1, maxLength: 3 }) });
    const ending = fc.constantFrom("\n", "\r\n", "\r");
    await fc.assert(
      fc.asyncProperty(
        fc.array(event),
        ending,
        fc.boolean(),
        fc.array(line),
        fc.array(fc.nat()),
        async (events, end, withMark, comments, cuts) => {
          const blocks = events.map(({ event, data }, index) => {
            const lines = [...(event ? [`event: ${event}`] : []), ...data.map((part) => `data: ${part}`), ""];
            const comment = comments[index];
            return [...(comment === undefined ? [] : [`:${comment}`]), ...lines].map((text) => text + end).join("");
          });
          const expected = events.map(({ event, data }) => ({ event: event || "message", data: data.join("\n") }));
          expect(await read((withMark ? "\ufeff" : "") + blocks.join(""), cuts)).toEqual(expected);
        },
      ),
    );
  });

  // The examples and rules of WHATWG HTML, "Interpreting an event stream".
  test.each([
    ["a comment", ": test\n\ndata: first\n\n", ["first"]],
    ["comments only", ": keep-alive\n\n:\n\n", []],
    [
      "one space after the colon, which is removed",
      "data:test\n\ndata: test\n\ndata:  test\n\n",
      ["test", "test", " test"],
    ],
    ["a colon in the data", "data: a: b\n\n", ["a: b"]],
    ["several lines of data", "data: YHOO\ndata: +2\ndata: 10\n\n", ["YHOO\n+2\n10"]],
    ["empty data", "data\n\ndata\ndata\n\n", ["", "\n"]],
    ["an event without data, which is skipped", "event: done\n\ndata: x\n\n", ["x"]],
    ["unknown fields", "id: 1\nretry: 5\nfoo: bar\ndatum: y\ndata: x\n\n", ["x"]],
    ["an event that is cut off", "data: x\n\ndata: lost\n", ["x"]],
    ["an event whose last line is cut off", "data: x\n\ndata: los", ["x"]],
    ["nothing", "", []],
    ["half a CR LF at the end", "data: x\r\n\r", ["x"]],
  ])("with %s", async (_, text, expected) => {
    expect((await read(text)).map(({ data }) => data)).toEqual(expected);
  });
});
