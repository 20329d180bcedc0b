import { countFeedback } from "../shared/feedback/count-feedback.ts";
import { FIELDS } from "../shared/feedback/counter.ts";
import {
  COUNTED_BY,
  COUNTED_PERIOD_DAYS,
  countFeedbackEndpoint,
  giveFeedbackEndpoint,
  withdrawFeedbackEndpoint,
} from "../shared/feedback/endpoints.ts";
import { giveFeedback } from "../shared/feedback/give-feedback.ts";
import { withdrawFeedback } from "../shared/feedback/withdraw-feedback.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { daysOf, namesOf } from "../shared/http/query.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { readThread } from "../shared/threads/thread-repository.ts";

await warmUp(() => readThread(SERVICE.tenant, NO_ID));

export const handler = resourceHandler(
  jsonHandler(
    giveFeedbackEndpoint,
    async ({ context, id, event, body }) => ({
      body: await giveFeedback(context, id, event.pathParameters?.messageId ?? "", body),
    }),
    jsonBody,
  ),
  jsonHandler(withdrawFeedbackEndpoint, async ({ context, id, event }) => ({
    body: await withdrawFeedback(context, id, event.pathParameters?.messageId ?? ""),
  })),
  jsonHandler(countFeedbackEndpoint, async ({ context, event }) => ({
    body: await countFeedback(context, {
      ...daysOf(event, COUNTED_PERIOD_DAYS),
      by: namesOf(event, "by", FIELDS, COUNTED_BY),
    }),
  })),
);
