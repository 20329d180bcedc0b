import type { Endpoint } from "../contract/endpoint.ts";
import { CONDITION_FAILED } from "../contract/preconditions.ts";
import { PROFILE_CHANGED, profile as profileBody } from "./profile.ts";

/** Both are in the function of the sources, which are the other half of what a clinic says about itself. */
const profile = { function: "sources", rarelyCalled: true, p95Milliseconds: 1_500, path: "/profile" } as const;

export const getProfileEndpoint = {
  ...profile,
  name: "get-profile",
  method: "GET",
  status: 200,
  errors: {
    shape: "generic",
    failure: "Failed to get profile",
    texts: { "precondition-failed": [CONDITION_FAILED] },
  },
  database: { sources: ["GetItem"] },
} as const satisfies Endpoint;

export const putProfileEndpoint = {
  ...profile,
  name: "put-profile",
  method: "PUT",
  status: 200,
  errors: {
    shape: "generic",
    failure: "Failed to store profile",
    texts: { "precondition-failed": [PROFILE_CHANGED, CONDITION_FAILED] },
  },
  database: { sources: ["GetItem", "UpdateItem"], events: ["PutItem"] },
  body: profileBody,
  strictBody: true,
} as const satisfies Endpoint;

/** All endpoints of the profile, for the OpenAPI document and the deployment. */
export const profileEndpoints = [getProfileEndpoint, putProfileEndpoint] as const;
