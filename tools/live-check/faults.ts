import type * as z from "zod";
import { OPERATIONS } from "./operations.ts";

/** Every text that the contract specifies. No other text of a response is ever shown. */
const CONTRACT_TEXTS = new Set([
  ...Object.values(OPERATIONS).flatMap((statuses) => Object.values(statuses).flat()),
  "Thread deleted successfully",
  "Patient deleted successfully",
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
