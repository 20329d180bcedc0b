/** The time budget of a request and of its steps. Each limit is derived from the one that contains it. */

/** API Gateway times out a buffered request after this ("Quotas for REST APIs"). */
export const GATEWAY_SECONDS = 29;

/** The timeout of the chat function. It is shorter because its clock starts only when the function is invoked. */
export const CHAT_SECONDS = GATEWAY_SECONDS - 1;

/** Limits for one attempt of a database call, and the number of attempts. A healthy call returns within milliseconds. */
export const DATABASE_CONNECT_MILLISECONDS = 1_000;
export const DATABASE_TRY_MILLISECONDS = 2_000;
export const DATABASE_TRIES = 3;

/** The time that a chat reserves after the model's answer: a commit whose attempts all time out, and the response. */
export const COMMIT_RESERVE_MILLISECONDS = DATABASE_TRIES * DATABASE_TRY_MILLISECONDS + 1_000;

/** For all attempts on all models together. */
export const MODEL_TOTAL_MILLISECONDS = CHAT_SECONDS * 1_000 - COMMIT_RESERVE_MILLISECONDS;

/** For the first word of a streamed answer. */
export const MODEL_FIRST_TOKEN_MILLISECONDS = 12_000;

/** For a connection to the model, including TLS. */
export const MODEL_CONNECT_MILLISECONDS = 3_000;

/** For the model's answer to an emergency in a buffered response, so that help is not delayed longer. */
export const ALERT_MILLISECONDS = 10_000;

/** For the opening question of a thread, which is optional. */
export const OPENING_MILLISECONDS = 5_000;
