/**
 * The time a request may take, and what each step may use of it. Each limit is derived from the one that contains it.
 */

/** API Gateway cuts a buffered request after this ("Quotas for REST APIs"). */
export const GATEWAY_SECONDS = 29;

/** A chat's function ends earlier, because its time begins only when it has started. */
export const CHAT_SECONDS = GATEWAY_SECONDS - 1;

/** Limits of one try of a database call, and the number of tries: a call returns within milliseconds, or something is wrong. */
export const DATABASE_CONNECT_MILLISECONDS = 1_000;
export const DATABASE_TRY_MILLISECONDS = 2_000;
export const DATABASE_TRIES = 3;

/** What a chat reserves for the time after the model: a commit whose tries all time out, and sending the response. */
export const COMMIT_RESERVE_MILLISECONDS = DATABASE_TRIES * DATABASE_TRY_MILLISECONDS + 1_000;

/** What all tries of all models may take together. */
export const MODEL_TOTAL_MILLISECONDS = CHAT_SECONDS * 1_000 - COMMIT_RESERVE_MILLISECONDS;

/** What the first word of a streamed answer may take. */
export const MODEL_FIRST_TOKEN_MILLISECONDS = 12_000;

/** What a connection to the model may take, TLS included. */
export const MODEL_CONNECT_MILLISECONDS = 3_000;

/** How long a buffered response to an emergency may wait for the model: nobody waits longer for help. */
export const ALERT_MILLISECONDS = 10_000;

/** What the opening question of a thread may take; it is a courtesy. */
export const OPENING_MILLISECONDS = 5_000;
