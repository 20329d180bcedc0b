import { LANGUAGES } from "../../packages/safety/alerts.ts";
import { type Clinic, clinicOfStage, type TenantState } from "../clinic.ts";
import { config } from "../config.ts";
import { COUNTRIES, helpLinesOf } from "../help-lines.ts";
import { describeError, logWarning } from "../observability/logger.ts";
import { isTimeZone } from "../opening-hours.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Tenant } from "../tenant.ts";
import { readTenantItem, type StoredProfile } from "./profile-repository.ts";

/** The tenants whose state is remembered, also that they have neither a profile nor sources. */
const MOST_TENANTS = 1_000;

/** The one that was read longest ago comes first. */
const remembered = new Map<Tenant, { readAt: number; state: TenantState }>();

/**
 * Returns a tenant's clinic and the version of its sources, as they were at most `SOURCES_CACHE_SECONDS` ago. If they
 * cannot be read, they are as they were last, however long ago that is: the numbers to call of a year ago are better
 * than those of another country. Never fails.
 */
export async function loadTenantState(tenant: Tenant, now = Date.now()): Promise<TenantState> {
  const known = remembered.get(tenant);
  const age = now - (known?.readAt ?? Number.NEGATIVE_INFINITY);
  if (known && age >= 0 && age < config.sourcesCacheSeconds * 1_000) {
    return known.state;
  }
  try {
    const { stored, libraryVersion } = await readTenantItem(tenant);
    const state = { clinic: clinicOf(stored), libraryVersion };
    remembered.delete(tenant);
    remembered.set(tenant, { readAt: now, state });
    const [first] = remembered.keys();
    if (remembered.size > MOST_TENANTS && first !== undefined) {
      remembered.delete(first);
    }
    return state;
  } catch (failure) {
    logWarning("profile-unavailable", { ...describeError(failure), isRemembered: known !== undefined });
    return { clinic: known?.state.clinic ?? clinicOfStage(), libraryVersion: undefined, failure };
  }
}

/** Begins to load what the request needs to know of its tenant, and notes it in the context once it is known. */
export function beginToLoadClinic(context: CallerContext): void {
  context.tenantState = loadTenantState(context.caller.tenant).then((state) => {
    context.clinic = state.clinic;
    context.log.profileVersion = state.clinic.version;
    return state;
  });
}

/** Returns the clinic of a request, whose endpoint reads the profile. */
export async function clinicFor({ tenantState }: Pick<CallerContext, "tenantState">): Promise<Clinic> {
  return (await tenantState)?.clinic ?? clinicOfStage();
}

/**
 * Returns what applies to a tenant: its profile and, for what that does not say, the settings of the stage. What was
 * stored under other rules, such as a country whose numbers are no longer known, counts as not said.
 */
export function clinicOf(stored: StoredProfile | undefined): Clinic {
  const stage = clinicOfStage();
  if (!stored) {
    return stage;
  }
  const {
    name: clinic,
    assistantName: assistant,
    services,
    country: storedCountry,
    language,
    timeZone,
    openingHours: weekly,
    exceptions = [],
    contact = stage.contact,
    contactWhenClosed,
    handoffMinutes = stage.handoffMinutes,
    readingLevel,
    greeting,
    disclosure,
    consentRequired = stage.consentRequired,
  } = stored.profile;
  const country = storedCountry !== undefined && COUNTRIES.includes(storedCountry) ? storedCountry : undefined;
  const hasHours = timeZone !== undefined && weekly !== undefined && isTimeZone(timeZone);
  return {
    helpLines: country === undefined ? stage.helpLines : helpLinesOf(country),
    country: country ?? stage.country,
    language: LANGUAGES.find((each) => each === language) ?? stage.language,
    contact,
    contactWhenClosed,
    hours: hasHours ? { timeZone, weekly, exceptions } : undefined,
    handoffMinutes,
    disclosesInAnswers: disclosure === undefined ? stage.disclosesInAnswers : disclosure === "answers",
    consentRequired,
    greeting,
    isPlain: readingLevel === "plain",
    about: { clinic, assistant, services },
    version: stored.revision,
  };
}
