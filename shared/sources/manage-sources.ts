import { randomUUID } from "node:crypto";
import type { Result } from "../contract/endpoint.ts";
import type { ResponseOf } from "../contract/operation.ts";
import { checkWrite, entityTag, type Preconditions } from "../contract/preconditions.ts";
import { retries } from "../dynamo/retries.ts";
import { invalidField, ServiceError } from "../errors.ts";
import { logInfo } from "../observability/logger.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { sourceDocs } from "./docs.ts";
import { problemOf, readSources } from "./read-sources.ts";
import {
  isSourceExpired,
  isSourceId,
  LIBRARY_FULL,
  NO_SOURCE,
  type PutSourceRequest,
  SOURCE_CHANGED,
  type StoredSource,
  TOO_MANY_SOURCES,
} from "./source.ts";
import { deleteSource, readSource, readStoredSources, type Written, writeSource } from "./source-repository.ts";

/**
 * `PUT /sources/{id}`: stores a source, in place of the one with this id if there is one.
 *
 * @throws ServiceError `invalid` for an id that no source can have, or a text that cannot be used; `precondition-failed`; `conflict` if there are too
 *   many sources, or they are too large together
 */
export async function putSource(
  context: CallerContext,
  id: string,
  request: PutSourceRequest,
  preconditions: Preconditions = {},
): Promise<Result<ResponseOf<typeof sourceDocs, "put-source">>> {
  if (!isSourceId(id)) {
    const message = "must have 1 to 64 lower-case letters, digits and hyphens, and begin with a letter or digit";
    throw invalidField("id", message);
  }
  const source: StoredSource = {
    ...request,
    id,
    revision: randomUUID(),
    bytes: Buffer.byteLength(request.text),
    updatedAt: new Date().toISOString(),
  };
  const problem = problemOf(source);
  if (problem !== undefined) {
    throw invalidField("text", problem);
  }
  const before = await change(context, id, preconditions, (stored) =>
    writeSource(context.caller.tenant, stored, source),
  );
  audit(context, before ? "source-replaced" : "source-created", id);
  return { body: { success: true, source: toInfo(source), created: !before }, etag: entityTag(source.revision) };
}

/** `GET /sources/{id}`. @throws ServiceError `not-found` */
export async function getSource(
  { caller: { tenant } }: CallerContext,
  id: string,
): Promise<Result<ResponseOf<typeof sourceDocs, "get-source">>> {
  const source = isSourceId(id) ? await readSource(tenant, id) : undefined;
  if (!source) {
    throw new ServiceError("not-found", NO_SOURCE);
  }
  return {
    body: { success: true, source: { ...toInfo(source), text: source.text } },
    etag: entityTag(source.revision),
  };
}

/** `GET /sources`: lists all sources by their ids, without their texts, and says which cannot be used. */
export async function listSources({
  caller: { tenant },
}: CallerContext): Promise<ResponseOf<typeof sourceDocs, "list-sources">> {
  const stored = await readStoredSources(tenant);
  const read = readSources(stored, Date.now());
  const problems = new Map(read.map(({ source, problem }) => [source.id, problem]));
  return { success: true, sources: stored.map((source) => ({ ...toInfo(source), problem: problems.get(source.id) })) };
}

/** `DELETE /sources/{id}`. @throws ServiceError `not-found`, `precondition-failed` */
export async function removeSource(
  context: CallerContext,
  id: string,
  preconditions: Preconditions = {},
): Promise<ResponseOf<typeof sourceDocs, "delete-source">> {
  const { tenant } = context.caller;
  await change(context, id, preconditions, async (stored) => {
    if (!stored) {
      throw new ServiceError("not-found", NO_SOURCE);
    }
    return deleteSource(tenant, stored);
  });
  audit(context, "source-deleted", id);
  return { success: true, message: "Source deleted successfully" };
}

/**
 * Reads a source, checks the conditions of the request, and writes. If another write comes between, it begins again.
 *
 * @returns the source before the write
 */
async function change(
  { caller: { tenant } }: CallerContext,
  id: string,
  preconditions: Preconditions,
  write: (stored: StoredSource | undefined) => Promise<Written>,
): Promise<StoredSource | undefined> {
  const pause = retries();
  for (;;) {
    const stored = isSourceId(id) ? await readSource(tenant, id) : undefined;
    if (stored) {
      checkWrite(preconditions, entityTag(stored.revision), SOURCE_CHANGED);
    } else if (preconditions.ifMatch !== undefined) {
      throw new ServiceError("precondition-failed", SOURCE_CHANGED);
    }
    switch (await write(stored)) {
      case "written":
        return stored;
      case "too-many":
        throw new ServiceError("conflict", TOO_MANY_SOURCES);
      case "full":
        throw new ServiceError("conflict", LIBRARY_FULL);
      case "changed":
        await pause(new Error("the source was changed in every attempt"));
    }
  }
}

/** Logs who has changed what the assistant answers from. The id is the client's, and never about a patient. */
function audit({ caller: { client, tenant } }: CallerContext, event: string, sourceId: string): void {
  logInfo(event, { client, tenant, sourceId });
}

function toInfo({ text: _, revision: __, ...source }: StoredSource) {
  return { ...source, expired: isSourceExpired(source, Date.now()) };
}
