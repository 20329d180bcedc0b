import type { ResponseOf } from "../contract/operation.ts";
import { invalidCursor } from "../contract/page.ts";
import { patientAt } from "../patients/find-patient.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Tenant } from "../tenant.ts";
import { type Thread, toThreadInfo } from "../threads/thread.ts";
import { readThread } from "../threads/thread-repository.ts";
import type { dataLifecycleDocs } from "./docs.ts";
import { type Link, patientThreads } from "./patient-threads-repository.ts";

/** The number of threads read at a time. */
const PARALLEL_READS = 25;

/**
 * `GET /patients/{id}/threads`: returns the active threads linked or bound to a patient, newest first.
 *
 * @param page `before` is `next` of the previous page
 * @throws ServiceError `not-found` when the id is malformed or matches no patient; `invalid` for a cursor of another
 *   list
 */
export async function listPatientThreads(
  context: CallerContext,
  id: string,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<ResponseOf<typeof dataLifecycleDocs, "list-patient-threads">> {
  const patient = await patientAt(context, id);
  const from = before === undefined ? undefined : ofCursor(before);
  const found: { link: Link; thread: Thread }[] = [];
  for await (const active of activeThreads(context.caller.tenant, patient.id, from)) {
    found.push(active);
    if (found.length > limit) {
      break;
    }
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    success: true,
    threads: shown.map(({ thread }) => toThreadInfo(thread)),
    hasMore: found.length > limit,
    ...(last && found.length > limit && { next: Buffer.from(last.link.sk).toString("base64url") }),
  };
}

/** Returns the threads about a patient that have not expired and are not being deleted, newest first. */
export async function* activeThreads(
  tenant: Tenant,
  patientId: string,
  before?: string | undefined,
): AsyncGenerator<{ link: Link; thread: Thread }, void, void> {
  let links: Link[] = [];
  for await (const link of patientThreads(tenant, patientId, before)) {
    links.push(link);
    if (links.length === PARALLEL_READS) {
      yield* await readLinked(tenant, links);
      links = [];
    }
  }
  yield* await readLinked(tenant, links);
}

async function readLinked(tenant: Tenant, links: Link[]): Promise<{ link: Link; thread: Thread }[]> {
  const threads = await Promise.all(links.map(({ threadId }) => readThread(tenant, threadId)));
  return links.flatMap((link, index) => {
    const thread = threads[index];
    return thread?.generation === link.generation ? [{ link, thread }] : [];
  });
}

function ofCursor(cursor: string): string {
  const sk = Buffer.from(cursor, "base64url").toString();
  if (!/^\w{26}#\w+$/.test(sk)) {
    throw invalidCursor();
  }
  return sk;
}
