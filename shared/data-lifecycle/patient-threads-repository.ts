import { config } from "../config.ts";
import { allOf, equals, isBelow } from "../dynamo/expressions.ts";
import { ofPatientThread, patientThreadsPartition } from "../dynamo/keys.ts";
import { queryItems } from "../dynamo/query.ts";
import type { Tenant } from "../tenant.ts";

/** The link from a patient to a thread about the patient. The thread may have expired. */
export interface Link {
  generation: string;
  threadId: string;
  /** Its sort key, which determines its position in the list. */
  sk: string;
}

/**
 * Lists a patient's threads, newest first, with consistent reads.
 *
 * @param before only links after this one in the list
 */
export async function* patientThreads(
  tenant: Tenant,
  patientId: string,
  before?: string | undefined,
): AsyncGenerator<Link, void, void> {
  const ofPatient = equals("pk", patientThreadsPartition(tenant, patientId));
  const keys = allOf(ofPatient, before === undefined ? undefined : isBelow("sk", before));
  const items = queryItems(config.threadsTable, { keys }, { ScanIndexForward: false });
  for await (const { sk } of items) {
    yield { ...ofPatientThread(String(sk)), sk: String(sk) };
  }
}
