import { preconditionsOf } from "../shared/contract/preconditions.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { getProfileEndpoint, putProfileEndpoint } from "../shared/profile/endpoints.ts";
import { getProfile, putProfile } from "../shared/profile/manage-profile.ts";
import { SERVICE } from "../shared/request/caller.ts";
import {
  deleteSourceEndpoint,
  getSourceEndpoint,
  listSourcesEndpoint,
  putSourceEndpoint,
} from "../shared/sources/endpoints.ts";
import { getSource, listSources, putSource, removeSource } from "../shared/sources/manage-sources.ts";
import { readSource } from "../shared/sources/source-repository.ts";

await warmUp(() => readSource(SERVICE.tenant, NO_ID));

export const handler = resourceHandler(
  jsonHandler(
    putSourceEndpoint,
    ({ context, id, event, body }) => putSource(context, id, body, preconditionsOf(event)),
    jsonBody,
  ),
  jsonHandler(listSourcesEndpoint, async ({ context }) => ({ body: await listSources(context) })),
  jsonHandler(getSourceEndpoint, ({ context, id }) => getSource(context, id)),
  jsonHandler(deleteSourceEndpoint, async ({ context, id, event }) => ({
    body: await removeSource(context, id, preconditionsOf(event)),
  })),
  jsonHandler(getProfileEndpoint, ({ context }) => getProfile(context)),
  jsonHandler(
    putProfileEndpoint,
    ({ context, event, body }) => putProfile(context, body, preconditionsOf(event)),
    jsonBody,
  ),
);
