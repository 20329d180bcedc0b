import { exactly } from "../expected.ts";
import { rulesOf } from "../rule.ts";

/** The rules for the profile. They store none: it would apply to the chats of other clients. */
export const profile = rulesOf("GET /profile", {
  "of the key's tenant, the same each time: 200": async (target) => {
    const { body } = await target.expect("GET /profile", 200, {});
    const { open: _, opensAt: __, ...applies } = body.applies; // the clinic may open meanwhile
    const fields = Object.entries(applies).map(([name, value]) => [name, exactly(value)]);
    await target.expect("GET /profile", 200, {
      profile: exactly(body.profile),
      applies: Object.fromEntries(fields),
    });
  },
});
