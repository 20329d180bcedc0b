import { exactly } from "../expected.ts";
import { rulesOf } from "../rule.ts";

const NONE = "/sources/live-check-of-no-source";
const NOT_FOUND = exactly({ success: false, error: "Source not found" });

/** The rules for sources. They store none: chats of other clients would answer from it. */
export const sources = [
  ...rulesOf("GET /sources", {
    "of the key's tenant: 200": (target) => target.expect("GET /sources", 200, {}),
  }),
  ...rulesOf("GET /sources/{id}", {
    "that does not exist: 404": (target) => target.expect(`GET ${NONE}`, 404, NOT_FOUND),
  }),
  ...rulesOf("DELETE /sources/{id}", {
    "that does not exist: 404": (target) => target.expect(`DELETE ${NONE}`, 404, NOT_FOUND),
  }),
];
