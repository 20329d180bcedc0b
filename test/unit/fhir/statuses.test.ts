import { expect, test } from "@jest/globals";
import { statusOf } from "../../../shared/fhir/statuses.ts";

const SNOMED = "http://snomed.info/sct";

test.each([
  ["55561003", "clinical", "active"],
  ["246455001", "clinical", "recurrence"],
  ["263855007", "clinical", "relapse"],
  ["73425007", "clinical", "inactive"],
  ["277022003", "clinical", "remission"],
  ["413322009", "clinical", "resolved"],
  ["410605003", "verification", "confirmed"],
  ["415684004", "verification", "unconfirmed"],
  ["410516002", "verification", "refuted"],
] as const)("the code %s of SNOMED CT is the %s status %s", (code, kind, status) => {
  expect(statusOf({ coding: [{ system: SNOMED, code }] }, kind)).toBe(status);
  expect(statusOf({ coding: [{ system: "http://example.org", code }] }, kind)).toBeUndefined();
});

test.each([
  ["Current", "clinical", "active"],
  ["ongoing problem", "clinical", "active"],
  ["Recurrent", "clinical", "recurrence"],
  ["relapsed", "clinical", "relapse"],
  ["Not active", "clinical", "inactive"],
  ["no longer active", "clinical", "inactive"],
  ["past", "clinical", "inactive"],
  ["Historical condition", "clinical", "inactive"],
  ["history", "clinical", "inactive"],
  ["in remission", "clinical", "remission"],
  ["ended", "clinical", "resolved"],
  ["cured", "clinical", "resolved"],
  ["Healed", "clinical", "resolved"],
  ["no longer present", "clinical", "resolved"],
  ["Problem resolved (finding)", "clinical", "resolved"],
  ["suspected", "verification", "unconfirmed"],
  ["Ruled out", "verification", "refuted"],
  ["confirmed present (qualifier value)", "verification", "confirmed"],
  ["Known absent", "verification", "refuted"],
] as const)("the words %s are the %s status %s", (text, kind, status) => {
  expect(statusOf({ text }, kind)).toBe(status);
  expect(statusOf({ coding: [{ display: text }] }, kind)).toBe(status);
});
