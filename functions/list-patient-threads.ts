import { DEFAULT_PAGE_ITEMS } from "../shared/contract/page.ts";
import { listPatientThreadsEndpoint } from "../shared/data-lifecycle/endpoints.ts";
import { listPatientThreads } from "../shared/data-lifecycle/list-patient-threads.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { pageOf } from "../shared/http/query.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler(listPatientThreadsEndpoint, async ({ context, id, event }) => ({
  body: await listPatientThreads(context, id, pageOf(event, DEFAULT_PAGE_ITEMS)),
}));
