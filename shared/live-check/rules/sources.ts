import { rulesOf } from "../rule.ts";

/** The rules for sources. They store none: chats of other clients would answer from it. */
export const sources = rulesOf("GET /sources", {
  "of the key's tenant: 200": (target) => target.expect("GET /sources", 200, {}),
});
