import { expect, test } from "@jest/globals";
import {
  creationRecordKey,
  erasureKey,
  erasureTaskKey,
  feedbackCounterKey,
  feedbackKey,
  handoffTaskKey,
  idempotencyKeyOf,
  ofDueItem,
  ofPatientsPartition,
  ofPatientThread,
  patientKey,
  patientThreadKey,
  phoneIndexKey,
  phoneLockKey,
  quotaKey,
  threadKey,
  turnKey,
  turnNumberOf,
} from "../../../shared/dynamo/keys.ts";
import { tenantNamed } from "../../../shared/tenant.ts";

const TENANT = tenantNamed("A clinic#1");

// A deployment finds what an earlier version has stored only if these stay as they are.
test.each<[string, object, object]>([
  ["a thread", threadKey(TENANT, "12345"), { pk: "A%20clinic%231#12345", sk: "~thread" }],
  ["a turn", turnKey(TENANT, "12345", "01G", 7), { pk: "A%20clinic%231#12345", sk: "turn#01G#00000007" }],
  [
    "an idempotency record of a thread",
    idempotencyKeyOf(TENANT, "12345", "01G", "hash"),
    { pk: "A%20clinic%231#12345", sk: "idempotency#01G#hash" },
  ],
  [
    "an idempotency record of a creation",
    creationRecordKey(TENANT, "create-thread", "hash"),
    { pk: "A%20clinic%231#idempotency#create-thread#hash", sk: "~idempotency" },
  ],
  [
    "a patient's link to a thread",
    patientThreadKey(TENANT, "id", "01G", "12345"),
    { pk: "A%20clinic%231#patient#id", sk: "01G#12345" },
  ],
  [
    "feedback on an answer",
    feedbackKey(TENANT, "12345", "01G", 7),
    { pk: "A%20clinic%231#12345", sk: "feedback#01G#7" },
  ],
  [
    "a count of feedback",
    feedbackCounterKey(TENANT, "2030-01-02", ["bad", "a#b", ""]),
    { pk: "A%20clinic%231#feedback", sk: "2030-01-02#bad#a%23b#" },
  ],
  ["a patient", patientKey(TENANT, "id"), { pk: "A%20clinic%231#patient#id" }],
  ["a phone lock", phoneLockKey(TENANT, "15550100100"), { pk: "A%20clinic%231#phone#15550100100" }],
  ["a phone number", phoneIndexKey(TENANT, "15550100100"), { phoneKey: "A%20clinic%231#phone#15550100100" }],
  ["a note of an erasure", erasureKey(TENANT, "id"), { pk: "A%20clinic%231#erasure#id" }],
  ["the task of an erasure", erasureTaskKey(TENANT, "id"), { pk: "A%20clinic%231#erasure#id", sk: "~erasure" }],
  [
    "the task of a request for a person",
    handoffTaskKey(TENANT, "12345", "01G"),
    { pk: "A%20clinic%231#12345", sk: "handoff#01G" },
  ],
  ["a quota", quotaKey(TENANT, "a#b", "requests", "2030"), { pk: "A%20clinic%231#a%23b#requests#2030" }],
])("the key of %s", (_, key, stored) => {
  expect(key).toEqual(stored);
});

test("what a key names is read back from it", () => {
  const dueOf = ({ pk, sk }: { pk: string; sk: string }) => ofDueItem(pk, sk);
  expect(dueOf(threadKey(TENANT, "12345"))).toEqual({ tenant: TENANT, threadId: "12345" });
  expect(dueOf(erasureTaskKey(TENANT, "id"))).toEqual({ tenant: TENANT, erasedPatientId: "id" });
  const requested = { tenant: TENANT, requestedIn: "12345", generation: "G" };
  expect(dueOf(handoffTaskKey(TENANT, "12345", "G"))).toEqual(requested);
  expect(ofPatientThread("01G#12345")).toEqual({ generation: "01G", threadId: "12345" });
  expect(ofPatientsPartition("A%20clinic%231#phone#1")).toEqual({
    tenantPart: "A%20clinic%231",
    kind: "phone",
    id: "1",
  });
  expect(turnNumberOf("turn#01G#00000007")).toBe(7);
});
