import { chatEndpoints } from "../chat/endpoints.ts";
import { dataLifecycleEndpoints } from "../data-lifecycle/endpoints.ts";
import type { Endpoint } from "../endpoint.ts";
import { patientEndpoints } from "../patients/endpoints.ts";
import { threadEndpoints } from "../threads/endpoints.ts";
import { descriptionEndpoints, type playgroundEndpoint } from "./endpoints.ts";

/** Every endpoint of the API with its operation. */
export const registry = [
  ...chatEndpoints,
  ...threadEndpoints,
  ...patientEndpoints,
  ...dataLifecycleEndpoints,
  ...descriptionEndpoints,
];

/** Every endpoint of the API. */
export const endpoints: readonly (Endpoint & { name: EndpointName })[] = registry.map(({ endpoint }) => endpoint);

/** The name of an endpoint, including the playground. */
export type EndpointName = (typeof registry)[number]["endpoint"]["name"] | (typeof playgroundEndpoint)["name"];
