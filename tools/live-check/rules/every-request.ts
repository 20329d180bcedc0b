import { genericError, plainError } from "../bodies.ts";
import { Deviation } from "../deviation.ts";
import type { Rule } from "../rule.ts";

const NOT_FOUND = plainError("Thread not found or expired");

/** The rules that apply to every request. */
export const everyRequest: Rule[] = [
  ...["GET /nowhere", "PUT /chat", "GET /threads"].map((request): Rule => {
    const [method = "", path = ""] = request.split(" ");
    return {
      name: `${request}, which does not exist: 404`,
      play: async (target) => target.hold(await target.raw(method, path), 404, genericError("Not found"), "gateway"),
    };
  }),
  {
    name: "a request without an x-request-id gets one",
    play: async (target) => target.hold(await target.raw("GET", "/threads/00000", { requestId: null }), 404, NOT_FOUND),
  },
  {
    name: "a request with an x-request-id of 129 characters gets a new one",
    play: async (target) => {
      const requestId = "x".repeat(129);
      const reply = await target.raw("GET", "/threads/00000", { requestId });
      if (reply.headers.get("x-request-id") === requestId) {
        throw new Deviation(["header x-request-id: expected a different one from the request's"]);
      }
      target.hold({ ...reply, requestId: null }, 404, NOT_FOUND);
    },
  },
];
