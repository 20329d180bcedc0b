import { loadScreen } from "../shared/chat/screen-and-ask.ts";
import { createCompletion } from "../shared/completions/create-completion.ts";
import {
  CHAT_COMPLETIONS_ONLY,
  createCompletionEndpoint,
  createResponseEndpoint,
  getModelEndpoint,
  listModelsEndpoint,
} from "../shared/completions/endpoints.ts";
import { getModel, listModels } from "../shared/completions/models.ts";
import { ServiceError } from "../shared/errors.ts";
import { rejectOverQuota } from "../shared/http/json-handler.ts";
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
  async () => loadScreen(),
);

export const handler = resourceHandler(
  streamingHandler(createCompletionEndpoint, createCompletion, jsonBody),
  streamingHandler(listModelsEndpoint, async ({ context }) => {
    await rejectOverQuota(context);
    return renderResult(listModelsEndpoint, listModels());
  }),
  streamingHandler(getModelEndpoint, async ({ context, id }) => {
    await rejectOverQuota(context);
    return renderResult(getModelEndpoint, getModel(id));
  }),
  streamingHandler(createResponseEndpoint, async ({ context }) => {
    await rejectOverQuota(context);
    throw new ServiceError("not-found", CHAT_COMPLETIONS_ONLY);
  }),
);
