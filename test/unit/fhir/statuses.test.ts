import { expect, test } from "@jest/globals";
import { unnamedOf } from "../../../shared/fhir/concept.ts";
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

test.each([
  ["http://www.nlm.nih.gov/research/umls/rxnorm", "RxNorm"],
  ["http://snomed.info/sct", "SNOMED CT"],
  ["http://loinc.org", "LOINC"],
  ["http://www.whocc.no/atc", "ATC"],
  ["http://fhir.de/CodeSystem/bfarm/atc", "ATC"],
  ["http://fhir.de/CodeSystem/ifa/pzn", "PZN"],
  ["http://hl7.org/fhir/sid/ndc", "NDC"],
  ["http://hl7.org/fhir/sid/icd-9-cm", "ICD-9-CM"],
  ["http://hl7.org/fhir/sid/icd-10", "ICD-10"],
  ["http://hl7.org/fhir/sid/icd-10-cm", "ICD-10-CM"],
  ["http://fhir.de/CodeSystem/bfarm/icd-10-gm", "ICD-10-GM"],
  ["http://id.who.int/icd/release/11/mms", "ICD-11"],
  ["http://fdasis.nlm.nih.gov", "UNII"],
  ["http://example.org/own", "http://example.org/own"],
])("what is only a code of %s is named with %s", (system, name) => {
  expect(unnamedOf("medication", { coding: [{ system, code: "12" }] })).toBe(`unnamed medicine (${name} 12)`);
});
