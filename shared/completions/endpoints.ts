import { chatEndpoint } from "../chat/endpoints.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { completionRequest, IGNORED_PARAMETERS } from "./completion-request.ts";
import { UNKNOWN_MODEL } from "./models.ts";

const { errors, lambda, quotas, model } = chatEndpoint;
const { threads, patients, events, webhookTypes, sources } = chatEndpoint.database;

export const createCompletionEndpoint = {
  name: "create-completion",
  profile: "meanwhile",
  function: "openai",
  method: "POST",
  path: "/openai/v1/chat/completions",
  status: 200,
  errors: {
    shape: "openai",
    failure: errors.failure,
    texts: { ...errors.texts, "not-found": [UNKNOWN_MODEL, ...errors.texts["not-found"]] },
  },
  openAiClients: true,
  streams: true,
  lambda: { ...lambda, concurrencyShare: 0.5 },
  database: { threads, patients, events, webhookTypes, sources },
  quotas,
  answersOverQuota: true,
  model,
  body: completionRequest,
  ignored: IGNORED_PARAMETERS,
} as const satisfies Endpoint;

export const listModelsEndpoint = {
  name: "list-models",
  function: "openai",
  method: "GET",
  path: "/openai/v1/models",
  status: 200,
  errors: { shape: "openai", failure: "Failed to list models" },
  openAiClients: true,
  streams: true,
} as const satisfies Endpoint;

export const getModelEndpoint = {
  name: "get-model",
  function: "openai",
  method: "GET",
  path: "/openai/v1/models/{id}",
  status: 200,
  errors: { shape: "openai", failure: "Failed to retrieve model", texts: { "not-found": [UNKNOWN_MODEL] } },
  openAiClients: true,
  streams: true,
} as const satisfies Endpoint;

/** The error of the API that the service does not have, and that OpenAI's own client and the AI SDK use by default. */
const CHAT_COMPLETIONS_ONLY = {
  error:
    "This service has chat completions instead: POST /openai/v1/chat/completions, which is client.chat.completions.create in OpenAI's SDKs, and provider.chat(model) in the AI SDK",
  code: "chat-completions-only",
};

/** The error of a path that OpenAI's API has, or nobody. */
const UNKNOWN_PATH = {
  error:
    "Not found. This service has POST /openai/v1/chat/completions and GET /openai/v1/models; a client's base URL ends with /openai/v1",
  code: "route-not-found",
};

/** What a path below `/openai/` is answered with. */
export function unknownPath(path: string) {
  return path === "v1/responses" ? CHAT_COMPLETIONS_ONLY : UNKNOWN_PATH;
}

/** Every other path below `/openai`, with any method: the gateway's own 404 would not have the shape of OpenAI's. */
export const unknownPathEndpoint = {
  name: "unknown-openai-path",
  function: "openai",
  method: "GET",
  path: "/openai/{path+}",
  status: 200,
  errors: { shape: "openai", failure: errors.failure, texts: { "not-found": [UNKNOWN_PATH, CHAT_COMPLETIONS_ONLY] } },
  openAiClients: true,
  streams: true,
  undocumented: true,
} as const satisfies Endpoint;

/** All endpoints for OpenAI's clients. */
export const openAiEndpoints = [createCompletionEndpoint, listModelsEndpoint, getModelEndpoint] as const;
