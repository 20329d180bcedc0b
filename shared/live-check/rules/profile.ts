import { rulesOf } from "../rule.ts";

/** The rules for the profile. They store none: it would apply to the chats of other clients. */
export const profile = rulesOf("GET /profile", {
  "of the key's tenant: 200": (target) => target.expect("GET /profile", 200, {}),
});
