/** Errors of every operation that requires a key, and of those with a body. */
const ALWAYS = { 401: ["Unauthorized - Invalid API key"], 429: ["Too many requests"] };
const WITH_BODY = { ...ALWAYS, 413: ["Request body must not be larger than 256 KB"] };
const REUSED_KEY = { 422: ["Idempotency-Key was used with another request"] };
const NO_JSON = "Request body is not valid JSON";
const NO_PATIENT = { 404: ["Patient not found"] };
const NO_THREAD = { 404: ["Thread not found or expired"] };
const TAKEN = { 409: ["Patient with this phone number already exists"] };
const NO_MATCH = "The resource does not meet the condition of the request";
const CHANGED = ["Patient was changed since it was read", NO_MATCH];
const PAGE = { 400: ["limit: must be a whole number from 1 to 100", "before: is not a cursor of this list"] };
const PHONE_RULE = "phone_number must have 10 digits, or 11 with the country code";

/** Every operation's own statuses with their specified texts. */
export const OPERATIONS: Record<string, Record<number, string[]>> = {
  "POST /chat": {
    ...WITH_BODY,
    ...REUSED_KEY,
    200: [],
    400: ["message is required"],
    404: ["Thread not found or expired", "Patient not found with the provided ID"],
    409: ["A request with this Idempotency-Key is still being processed"],
    500: ["Failed to process chat request"],
  },
  "POST /threads": {
    ...WITH_BODY,
    ...REUSED_KEY,
    201: [],
    400: [NO_JSON],
    404: ["Patient not found with the provided ID"],
    500: ["Failed to create thread"],
  },
  "GET /threads/{id}": {
    ...ALWAYS,
    ...NO_THREAD,
    200: [],
    400: ["include: must be metadata"],
    500: ["Failed to retrieve thread"],
  },
  "GET /threads/{id}/messages": { ...ALWAYS, ...PAGE, ...NO_THREAD, 200: [], 500: ["Failed to retrieve messages"] },
  "DELETE /threads/{id}": {
    ...ALWAYS,
    200: [],
    404: ["Thread not found"],
    412: [NO_MATCH],
    500: ["Failed to delete thread"],
  },
  "POST /patients": {
    ...WITH_BODY,
    ...TAKEN,
    ...REUSED_KEY,
    201: [],
    400: ["Failed to create patient"],
    500: ["Failed to create patient"],
  },
  "GET /patients/{id}": {
    ...ALWAYS,
    ...NO_PATIENT,
    200: [],
    304: [],
    412: [NO_MATCH],
    500: ["Failed to fetch patient"],
  },
  "PATCH /patients/{id}": {
    ...WITH_BODY,
    ...NO_PATIENT,
    ...TAKEN,
    200: [],
    400: ["Failed to update patient"],
    412: CHANGED,
    500: ["Failed to update patient"],
  },
  "DELETE /patients/{id}": { ...ALWAYS, ...NO_PATIENT, 200: [], 412: CHANGED, 500: ["Failed to delete patient"] },
  "POST /patients/search": { ...WITH_BODY, 200: [], 400: [NO_JSON, PHONE_RULE], 500: ["Failed to search patients"] },
  "GET /patients/{id}/threads": { ...ALWAYS, ...PAGE, ...NO_PATIENT, 200: [], 500: ["Failed to list threads"] },
  "GET /patients/{id}/export": { ...ALWAYS, ...NO_PATIENT, 200: [], 500: ["Failed to export patient"] },
};
