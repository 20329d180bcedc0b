import type { Clinic } from "../clinic.ts";
import type { Result } from "../contract/endpoint.ts";
import type { ResponseOf } from "../contract/operation.ts";
import { checkWrite, entityTag, type Preconditions } from "../contract/preconditions.ts";
import { retries } from "../dynamo/retries.ts";
import { logInfo } from "../observability/logger.ts";
import { openingNow } from "../opening-hours.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { profileDocs } from "./docs.ts";
import { clinicOf } from "./load-clinic.ts";
import { PROFILE_CHANGED, type Profile } from "./profile.ts";
import { readProfile, writeProfile } from "./profile-repository.ts";

type ProfileResult = Result<ResponseOf<typeof profileDocs, "get-profile">>;

/** The entity tag of a tenant without a profile. */
const NONE = "none";

/** `GET /profile`: the tenant's profile, and what applies to its patients with the settings of the stage. */
export async function getProfile({ caller: { tenant } }: CallerContext): Promise<ProfileResult> {
  const stored = await readProfile(tenant);
  return resultOf(stored?.profile ?? {}, stored?.revision ?? NONE, clinicOf(stored));
}

/**
 * `PUT /profile`: replaces the tenant's profile. If another write comes between, it begins again.
 *
 * @throws ServiceError `precondition-failed`
 */
export async function putProfile(
  { caller: { client, tenant } }: CallerContext,
  profile: Profile,
  preconditions: Preconditions = {},
): Promise<ProfileResult> {
  const pause = retries();
  for (;;) {
    const before = await readProfile(tenant);
    checkWrite(preconditions, entityTag(before?.revision ?? NONE), PROFILE_CHANGED);
    const revision = await writeProfile(tenant, before, profile);
    if (revision !== undefined) {
      logInfo("profile-updated", { client, tenant, profileVersion: revision });
      return resultOf(profile, revision, clinicOf({ profile, revision }));
    }
    await pause(new Error("the profile was changed in every attempt"));
  }
}

function resultOf(profile: Profile, revision: string, clinic: Clinic): ProfileResult {
  return { body: { success: true, profile, applies: appliedOf(clinic) }, etag: entityTag(revision) };
}

/** What patients are told, for those who write a profile. */
function appliedOf({ helpLines, contact, contactWhenClosed, handoffMinutes, hours }: Clinic) {
  const { emergencyNumber, crisisLine, poisonControl, abuseLine } = helpLines;
  const opening = openingNow(hours);
  const opensAt = opening && !opening.isOpen ? opening.opensAt : undefined;
  return {
    emergencyNumber,
    crisisLine,
    poisonControl: poisonControl || null,
    abuseLine: abuseLine || null,
    contact: contact ?? null,
    contactWhenClosed: contactWhenClosed ?? contact ?? null,
    handoffMinutes,
    open: opening ? opening.isOpen : null,
    opensAt: opensAt === undefined ? null : new Date(opensAt).toISOString(),
  };
}
