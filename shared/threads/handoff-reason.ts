import * as z from "zod/mini";

/** Why a person is needed: the user asks for one, the model cannot help, or there is an alert of a level. */
export const handoffReason = z.enum(["asked", "unable", "crisis", "emergency"]);
export type HandoffReason = z.output<typeof handoffReason>;
