import { loadScreen } from "../shared/chat/screen-and-ask.ts";
import { createCompletion } from "../shared/completions/create-completion.ts";
import { createCompletionEndpoint, listModelsEndpoint } from "../shared/completions/endpoints.ts";
import { listModels } from "../shared/completions/models.ts";
import { config } from "../shared/config.ts";
import { rejectOverQuota } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { renderResult } from "../shared/http/render.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { streamingHandler } from "../shared/http/streaming-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { clientOf } from "../shared/model/assistant.ts";
import { preconnect } from "../shared/model/model-fetch.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { readConversation } from "../shared/threads/thread-repository.ts";

await warmUp(
  () => clientOf(config.model),
  () => preconnect(config.model.baseUrl),
  () => readConversation(SERVICE.tenant, NO_ID),
  async () => loadScreen(),
);

export const handler = resourceHandler(
  streamingHandler(createCompletionEndpoint, createCompletion, jsonBody),
  streamingHandler(listModelsEndpoint, async ({ context }) => {
    await rejectOverQuota(context);
    return renderResult(listModelsEndpoint, listModels());
  }),
);
