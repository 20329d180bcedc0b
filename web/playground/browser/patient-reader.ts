import type {
  GetPatientResult,
  HealthAssistantClient,
  Patient,
  UpdatePatientRequest,
} from "../../../packages/client/client.js";

/** A record as it was last read; the entity tag is for `If-Match`. */
export interface ReadPatient extends Patient {
  etag: string | undefined;
}

export function readPatient(client: HealthAssistantClient, id: string): Promise<ReadPatient> {
  return withEntityTag((onHeaders) => client.getPatient(id, { onHeaders }));
}

/** Applies a merge patch, provided that nobody has changed the record since it was read. */
export function updatePatient(
  client: HealthAssistantClient,
  { id, etag }: ReadPatient,
  changes: UpdatePatientRequest,
): Promise<ReadPatient> {
  return withEntityTag((onHeaders) => client.updatePatient(id, changes, { onHeaders, ...(etag && { ifMatch: etag }) }));
}

async function withEntityTag(
  call: (onHeaders: (headers: Headers) => void) => Promise<GetPatientResult>,
): Promise<ReadPatient> {
  let etag: string | undefined;
  const { patient } = await call((headers) => {
    etag = headers.get("etag") ?? undefined;
  });
  return { ...patient, etag };
}
