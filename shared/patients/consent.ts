import * as z from "zod/mini";
import { CONSENT_VERSION, CONSENT_VERSION_RULE } from "../config.ts";
import { documented } from "../contract/fields.ts";

const AT_RULE = "must be a time with a time zone, such as 2026-03-01T09:00:00Z, and not in the future";

/** A day later, because clocks differ, and somewhere it is tomorrow. */
function isPast(time: string): boolean {
  return !(Date.parse(time) >= Date.now() + 24 * 60 * 60 * 1000); // one that cannot be read is another fault
}

/** Whether a patient has agreed to talk to an AI, when, and to which text. */
export const consent = documented(
  z.object({
    given: documented(z.boolean(), { description: "false: the patient has refused or withdrawn it" }),
    at: documented(z.iso.datetime({ offset: true, error: AT_RULE }).check(z.refine(isPast, { error: AT_RULE })), {
      description: "When the patient said so: ISO 8601 with a time zone",
      examples: ["2026-03-01T09:00:00Z"],
    }),
    version: documented(z.string().check(z.regex(CONSENT_VERSION, { error: `must be ${CONSENT_VERSION_RULE}` })), {
      description:
        "The name of the text that the patient has read; it is logged, and must say nothing about the patient",
      examples: ["2026-03"],
    }),
  }),
  { description: "The patient's consent to chats with an AI" },
);
export type Consent = z.output<typeof consent>;

/** The `error` of the 403 for a chat about a patient without the consent that the clinic requires. */
export const CONSENT_REQUIRED = {
  error: "The patient has not consented to chats with an AI",
  code: "consent-required",
};

/**
 * Whether a model may be told about a patient: always, unless the clinic requires consent to a version of a text.
 *
 * @param patient undefined for one who was erased
 * @param required the version; undefined for none
 */
export function mayAskAbout(
  patient: { consent?: Consent | undefined } | undefined,
  required: string | undefined,
): boolean {
  return required === undefined || (patient?.consent?.given === true && patient.consent.version === required);
}
