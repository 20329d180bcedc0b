import { chatEndpoints } from "../chat/endpoints.ts";
import { openAiEndpoints, unknownPathEndpoint } from "../completions/endpoints.ts";
import { type Endpoint, functionOf } from "../contract/endpoint.ts";
import { dataLifecycleEndpoints } from "../data-lifecycle/endpoints.ts";
import { eventEndpoints } from "../events/endpoints.ts";
import { webhookEndpoints } from "../events/webhook-endpoints.ts";
import { feedbackEndpoints } from "../feedback/endpoints.ts";
import { fhirEndpoints } from "../fhir/endpoints.ts";
import { handoffEndpoints } from "../handoff/endpoints.ts";
import { patientEndpoints } from "../patients/endpoints.ts";
import { profileEndpoints } from "../profile/endpoints.ts";
import { sourceEndpoints } from "../sources/endpoints.ts";
import { threadEndpoints } from "../threads/endpoints.ts";
import { descriptionEndpoints, type playgroundEndpoint } from "./endpoints.ts";

const registry = [
  ...chatEndpoints,
  ...threadEndpoints,
  ...feedbackEndpoints,
  ...handoffEndpoints,
  ...patientEndpoints,
  ...dataLifecycleEndpoints,
  ...sourceEndpoints,
  ...profileEndpoints,
  ...fhirEndpoints,
  ...webhookEndpoints,
  ...eventEndpoints,
  ...openAiEndpoints,
  ...descriptionEndpoints,
];

/** Every endpoint of the API. */
export const endpoints: readonly Endpoint[] = registry;

/** What the gateway leads to a function: every endpoint, and the paths below `/openai` that do not exist. */
export const answeredEndpoints: readonly Endpoint[] = [...registry, unknownPathEndpoint];

/** The names of the functions that serve the API, without the playground. */
export const functionNames = [...new Set(endpoints.map(functionOf))];

type Declared = (typeof registry)[number];

/** The name of a function of the API, including the playground. */
export type FunctionName = NameOf<Declared> | NameOf<typeof playgroundEndpoint>;

type NameOf<E extends Endpoint> = E extends { function: infer Shared extends string } ? Shared : E["name"];
