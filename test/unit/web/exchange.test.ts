import { describe, expect, test } from "@jest/globals";
import { type Exchange, outcome, requestText, responseText } from "../../../web/playground/exchange.ts";

const exchange: Exchange = {
  method: "POST",
  path: "/chat",
  headers: [
    ["accept", "text/event-stream"],
    ["idempotency-key", "key-1"],
  ],
  body: '{"message":"hello"}',
  response: { status: 200, headers: [["content-type", "text/event-stream"]], milliseconds: 12 },
  received: 'event: delta\ndata: {"text":"hi"}\n\n',
  state: "complete",
};

describe("an exchange", () => {
  test("shows its request formatted, with a placeholder for the key", () => {
    expect(requestText(exchange)).toBe(
      'POST /chat\nx-api-key: $API_KEY\naccept: text/event-stream\nidempotency-key: key-1\n\n{\n  "message": "hello"\n}',
    );
    expect(requestText({ ...exchange, method: "GET", headers: [], body: undefined })).toBe(
      "GET /chat\nx-api-key: $API_KEY\n\n",
    );
  });

  test("shows its response, formatted when it is whole, and nothing before it starts", () => {
    const [part, whole] = (["open", "complete"] as const).map((state) =>
      responseText({ ...exchange, received: '{"a":1}', state }),
    );
    expect([part, whole].map((text) => text?.split("\n\n")[1])).toEqual(['{"a":1}', '{\n  "a": 1\n}']);
    expect(responseText(exchange)).toBe(
      'status 200\ncontent-type: text/event-stream\n\nThe text of its pieces, one after the other:\n\nhi\n\nThe events:\n\nevent: delta\ndata: {"text":"hi"}\n\n',
    );
    const cut = responseText({ ...exchange, received: 'event: delta\ndata: {"text":"hi', state: "open" });
    expect(cut).toMatch(/\n\nevent: delta\ndata: \{"text":"hi$/);
    expect(responseText({ ...exchange, response: undefined })).toBe("");
  });

  test("shows a placeholder for the secret of a webhook", () => {
    const received = '{"webhook":{"id":"wh_1"},"secret":"whsec_aB+/c1=="}';
    for (const state of ["open", "complete"] as const) {
      expect(responseText({ ...exchange, received, state })).toMatch(/"secret": ?"\$WEBHOOK_SECRET"\n?}$/);
    }
  });

  test.each<[Partial<Exchange>, string]>([
    [{ state: "open", response: undefined }, "waiting"],
    [{ state: "open" }, "200, 12 ms, still arriving"],
    [{ state: "complete" }, "200, 12 ms"],
    [{ state: "stopped" }, "200, 12 ms, stopped"],
    [{ state: "lost", response: undefined }, "connection lost"],
  ])("shows its outcome: %j", (change, said) => {
    expect(outcome({ ...exchange, ...change })).toBe(said);
  });
});
