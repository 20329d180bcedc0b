import { loadSafety } from "../shared/chat/screen-message.ts";
import { createCompletion } from "../shared/completions/create-completion.ts";
import {
  createCompletionEndpoint,
  getModelEndpoint,
  listModelsEndpoint,
  unknownPath,
  unknownPathEndpoint,
} from "../shared/completions/endpoints.ts";
import { getModel, listModels } from "../shared/completions/models.ts";
import { ServiceError } from "../shared/errors.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { renderResult } from "../shared/http/render.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { streamingHandler } from "../shared/http/streaming-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { warmUpModel } from "../shared/model/model-client.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { readConversation } from "../shared/threads/thread-repository.ts";

await warmUp(
  warmUpModel,
  () => readConversation(SERVICE.tenant, NO_ID),
  async () => loadSafety(),
);

export const handler = resourceHandler(
  streamingHandler(createCompletionEndpoint, createCompletion, jsonBody),
  streamingHandler(listModelsEndpoint, async () => renderResult(listModelsEndpoint, listModels())),
  streamingHandler(getModelEndpoint, async ({ id }) => renderResult(getModelEndpoint, getModel(id))),
  streamingHandler(unknownPathEndpoint, async ({ event }) => {
    throw new ServiceError("not-found", unknownPath(event.pathParameters?.path ?? ""));
  }),
);
