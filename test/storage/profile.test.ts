import { beforeAll, expect, test } from "@jest/globals";
import { ulid } from "ulid";
import { clinicOf, loadTenantState } from "../../shared/profile/load-clinic.ts";
import { getProfile, putProfile } from "../../shared/profile/manage-profile.ts";
import { putSource } from "../../shared/sources/manage-sources.ts";
import { readStoredSources } from "../../shared/sources/source-repository.ts";
import { tenantNamed } from "../../shared/tenant.ts";
import { CALLER, newContext } from "../helpers/caller.ts";
import { internalError, responseLost } from "../helpers/database/faults.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import "../helpers/service/help-lines.ts";

const storage = setUpStorage();

beforeAll(() => {
  process.env.HANDOFF_MINUTES = "10";
});

/** A tenant of its own for each test, and what its client does. */
function newClinic() {
  const tenant = tenantNamed(`clinic-${ulid().toLowerCase()}`);
  const context = () => newContext({ ...CALLER, tenant });
  return {
    tenant,
    put: (profile: object) => putProfile(context(), profile),
    read: async () => (await getProfile(context())).body.profile,
    store: (id: string) => putSource(context(), id, { title: "Hours", text: "Open." }),
    emergencyNumber: async (now?: number) => (await loadTenantState(tenant, now)).clinic.helpLines.emergencyNumber,
  };
}

test("of two profiles at once, one is last, and both have an event", async () => {
  const { put, read } = newClinic();
  await storage.clear();
  await Promise.all([put({ country: "GB" }), put({ country: "FR" })]);
  expect([{ country: "GB" }, { country: "FR" }]).toContainEqual(await read());
  const events = (await storage.eventItems()).map(({ type }) => type);
  expect(events).toEqual(["profile.updated", "profile.updated"]);
});

test("a profile and a source that are written at once are both there", async () => {
  const { tenant, put, read, store } = newClinic();
  for (let round = 0; round < 5; round++) {
    await Promise.all([put({ handoffMinutes: round + 1 }), store("hours"), store(`round-${round}`)]);
    expect(await read()).toEqual({ handoffMinutes: round + 1 });
    expect(await readStoredSources(tenant)).toHaveLength(round + 2);
    expect((await loadTenantState(tenant)).libraryVersion).toBeDefined();
  }
});

test("a profile whose response was lost is stored once", async () => {
  const { put, read } = newClinic();
  await storage.clear();
  storage.faults.fail("TransactWriteItems", responseLost);
  await put({ country: "GB" });
  expect(await read()).toEqual({ country: "GB" });
  expect(await storage.eventItems()).toHaveLength(1);
});

test("a clinic keeps its own country's numbers while the database cannot be read", async () => {
  const { put, emergencyNumber } = newClinic();
  const start = Date.now();
  await put({ country: "GB" });
  expect(await emergencyNumber(start)).toBe("999");
  storage.faults.fail("GetItem", internalError, 10);
  expect(await emergencyNumber(start + 60 * 60_000)).toBe("999");
});

test("what was stored under other rules counts as not said, so that a danger is told a number in a language", () => {
  const profile = { country: "XX", language: "xx", timeZone: "Mars/Olympus", openingHours: [], contact: "NHS 111" };
  expect(clinicOf({ profile: profile as object, revision: "1" })).toMatchObject({
    helpLines: { emergencyNumber: "911" },
    language: "en",
    hours: undefined,
    contact: "NHS 111",
  });
});
