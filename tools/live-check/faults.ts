import type * as z from "zod";

/** Every text that the contract specifies. No other text of a response is ever shown. */
const CONTRACT_TEXTS = new Set([
  "message is required",
  "Failed to process chat request",
  "Failed to create patient",
  "Failed to fetch patient",
  "Failed to create thread",
  "Failed to retrieve thread",
  "Failed to delete thread",
  "Unauthorized - Invalid API key",
  "Patient not found",
  "Patient not found with the provided ID",
  "Patient with this phone number already exists",
  "Thread not found",
  "Thread not found or expired",
  "Thread deleted successfully",
  "Failed to retrieve messages",
  "Failed to update patient",
  "Failed to delete patient",
  "Failed to search patients",
  "Failed to list threads",
  "Failed to export patient",
  "Patient was changed since it was read",
  "Patient deleted successfully",
  "limit: must be a whole number from 1 to 100",
  "before: is not a cursor of this list",
  "include: must be metadata",
  "phone_number must have 10 digits, or 11 with the country code",
  "Request body is not valid JSON",
  "Request body must not be larger than 256 KB",
  "Idempotency-Key was used with another request",
  "A request with this Idempotency-Key is still being processed",
  "Too many requests",
  "Not found",
  "Internal server error",
]);

/** Whether the contract specifies a text, so that it cannot come from a patient or a model. */
export function isContractText(text: string): boolean {
  return CONTRACT_TEXTS.has(text);
}

/**
 * Lists the invalid fields of a body, each with its expected and actual value.
 *
 * @returns messages that reveal no contents: texts only if the contract specifies them, and no values of a patient
 */
export function bodyFaults(schema: z.ZodType, body: unknown): string[] {
  const result = schema.safeParse(body);
  return (result.error?.issues ?? []).map((issue) => {
    const path = issue.path.map(String);
    const expected = issue.message.replace(/^Invalid input: /, "").replace(/, received .*$/, "");
    return `${path.join(".") || "body"}: ${expected}; got ${shown(valueAt(body, path), path)}`;
  });
}

/** Describes a value without revealing contents. */
export function shown(value: unknown, path: string[] = []): string {
  if (value === undefined) {
    return "nothing";
  }
  if (typeof value === "string") {
    return isContractText(value) ? JSON.stringify(value) : `a text of ${value.length} characters`;
  }
  if (value === null || typeof value === "object") {
    return value === null ? "null" : Array.isArray(value) ? "a list" : "an object";
  }
  return path.includes("patient") ? `a ${typeof value}` : String(value);
}

function valueAt(body: unknown, path: string[]): unknown {
  return path.reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
}
