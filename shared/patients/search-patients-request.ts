import * as z from "zod/mini";
import { documented, phoneNumber } from "../fields.ts";

/** Body of `POST /patients/search`. The number is in the body because URLs end up in logs. */
export const searchPatientsRequest = documented(z.object({ phone_number: phoneNumber }), {
  id: "SearchPatientsRequest",
});
export type SearchPatientsRequest = z.output<typeof searchPatientsRequest>;
