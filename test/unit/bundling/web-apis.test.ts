import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Headers as OwnHeaders, performance as ownPerformance } from "../../../infra/bundling/web-apis.ts";

const names = fc.constantFrom("authorization", "Content-Type", "content-type", "x-request-id", "X-Stainless-Lang");
const values = fc.stringMatching(/^[\t -~]{0,20}$/);
const changes = fc.array(
  fc.oneof(
    fc.tuple(fc.constant("set" as const), names, values),
    fc.tuple(fc.constant("append" as const), names, values),
    fc.tuple(fc.constant("delete" as const), names, fc.constant("")),
  ),
);

describe("the headers in the bundles", () => {
  test("have the names and values that Node's would have", () => {
    fc.assert(
      fc.property(changes, names, (sequence, name) => {
        const [own, nodes] = [new OwnHeaders(), new Headers()];
        for (const [change, changed, value] of sequence) {
          own[change](changed, value);
          nodes[change](changed, value);
        }
        expect(new Map(own)).toEqual(new Map(nodes));
        expect([...own.entries()]).toEqual([...own]);
        expect([own.get(name), own.has(name)]).toEqual([nodes.get(name), nodes.has(name)]);
      }),
    );
  });
});

test("the time in the bundles passes as Node's does, in milliseconds", async () => {
  const [own, nodes] = [ownPerformance.now(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ownPerformance.now() - own).toBeCloseTo(performance.now() - nodes, 0);
});
