/** The time budget of a request and of its steps. Each limit is derived from the one that contains it. */

/** The timeout of API Gateway for a buffered integration ("Quotas for REST APIs"). */
export const GATEWAY_SECONDS = 29;

/**
 * The time for all attempts on all models together, unless the setting `modelSeconds` overrides it. Chat has a
 * streaming integration, for which API Gateway allows 15 minutes, and 5 minutes without a byte ("Stream the integration
 * response for your proxy integrations"), so this depends on how long a person waits, not on a limit of the gateway.
 */
export const MODEL_SECONDS = 21;

/** The maximum of that setting. A JSON response is sent as a whole, so chat must end within those 5 minutes. */
export const LONGEST_MODEL_SECONDS = 280;

/** For one attempt of a database call, and their number. A healthy call returns within milliseconds. */
export const DATABASE_CONNECT_MILLISECONDS = 1_000;
export const DATABASE_TRY_MILLISECONDS = 2_000;
export const DATABASE_TRIES = 3;

/** The time that a chat reserves after the model's answer: a commit whose attempts all time out, and the response. */
export const COMMIT_RESERVE_MILLISECONDS = DATABASE_TRIES * DATABASE_TRY_MILLISECONDS + 1_000;

/**
 * Returns the limits of a chat that follow from the time for the model.
 *
 * @param modelSeconds the setting of that name
 */
export function chatLimits(modelSeconds: number) {
  const functionSeconds = modelSeconds + COMMIT_RESERVE_MILLISECONDS / 1_000;
  return {
    /** For all attempts on all models together. */
    totalMilliseconds: modelSeconds * 1_000,
    /** For the first word of a streamed answer. */
    firstTokenMilliseconds: Math.round((modelSeconds * 4_000) / 7),
    /** The timeout of the function. */
    functionSeconds,
    /** The timeout of the gateway, whose clock starts before the function's. */
    gatewaySeconds: functionSeconds + 1,
    /** The limit for the p95 latency of chats. */
    p95Milliseconds: Math.round((modelSeconds * 5_000) / 7),
  };
}

/** For a connection to the model, including TLS. */
export const MODEL_CONNECT_MILLISECONDS = 3_000;

/** For the model's verdict on a suspicion, for which the first word of the answer waits. */
export const VERDICT_MILLISECONDS = 2_000;

/** For the model's answer to an emergency in a buffered response, to limit the delay until help. */
export const ALERT_MILLISECONDS = 10_000;

/** For the first word of that answer, since the alert: a model that is silent for longer may hang. */
export const ALERT_SILENCE_MILLISECONDS = 2_000;

/** For the opening question of a thread, which is optional. */
export const OPENING_MILLISECONDS = 5_000;
