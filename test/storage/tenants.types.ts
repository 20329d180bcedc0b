import { threadKey } from "../../shared/dynamo/keys.ts";
import type { Patient } from "../../shared/patients/patient.ts";
import { insertPatient, readPatient, readPatientByPhone } from "../../shared/patients/patient-repository.ts";
import { readKeyState, reserve } from "../../shared/threads/idempotency-record-repository.ts";
import type { Thread } from "../../shared/threads/thread.ts";
import { removeThread } from "../../shared/threads/thread-removal-repository.ts";
import { insertThread, readConversation, readThread } from "../../shared/threads/thread-repository.ts";
import { commitTurn, readTurn } from "../../shared/threads/turn-repository.ts";
import { exchange } from "../helpers/database/exchange.ts";

/** Never run: `npm run types` fails unless every one of these calls is an error. */
export function tenantMistakes(thread: Thread, patient: Patient, name: string): void {
  const turn = exchange("q", "a");
  // @ts-expect-error: no tenant
  threadKey("12345");
  // @ts-expect-error: a string is not a tenant
  threadKey(name, "12345");
  // @ts-expect-error: no tenant
  readThread("12345");
  // @ts-expect-error: a string is not a tenant
  readThread(name, "12345");
  // @ts-expect-error: no tenant
  readConversation("12345");
  // @ts-expect-error: no tenant
  insertThread(thread, undefined);
  // @ts-expect-error: no tenant
  removeThread("12345");
  // @ts-expect-error: no tenant
  commitTurn(thread, turn, 0);
  // @ts-expect-error: no tenant
  readTurn(thread, 0);
  // @ts-expect-error: no tenant
  reserve(thread, { key: "k", bodyHash: "b", holder: "h", leaseUntil: 0 });
  // @ts-expect-error: no tenant
  readKeyState(thread, "k");
  // @ts-expect-error: no caller
  insertPatient(patient);
  // @ts-expect-error: a caller without a tenant
  readPatient({ client: "c", operation: "o" }, "id");
  // @ts-expect-error: a string is not a tenant
  readPatientByPhone({ client: "c", tenant: "c", operation: "o" }, "15550000000");
}
