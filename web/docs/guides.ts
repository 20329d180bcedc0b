import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES } from "../../shared/openapi/error-codes.ts";
import { CONTEXT_MESSAGES, idleTime } from "../../shared/threads/thread.ts";
import { GATEWAY_SECONDS } from "../../shared/time-limits.ts";

/** The files of the guides, in their order, with their titles. */
export const GUIDES = [
  ["authentication", "Authentication"],
  ["threads", "Thread lifecycle"],
  ["consent", "Consent"],
  ["handoff", "A person in the conversation"],
  ["channels", "SMS and WhatsApp"],
  ["events", "Events and webhooks"],
  ["profile", "Your clinic's profile"],
  ["sources", "Answers from your own information"],
  ["fhir", "Records from FHIR"],
  ["streaming", "Streaming"],
  ["retries", "Retries"],
  ["clients", "Client libraries"],
  ["openai", "OpenAI's clients"],
  ["errors", "Errors"],
  ["limits", "Limits"],
  ["safety", "Safety"],
] as const;

/** The rows of the errors' codes, each of which can be linked to. */
const codeRows = Object.entries(ERROR_CODES).map(
  ([code, { status, remedy }]) => `| <code id="error-${code}">${code}</code> | ${status} | ${remedy} |`,
);

/** The values of placeholders in the guides. */
const VALUES: Record<string, string> = {
  errorCodes: codeRows.join("\n"),
  idleTime: idleTime(),
  contextMessages: String(CONTEXT_MESSAGES),
  gatewaySeconds: String(GATEWAY_SECONDS),
};

/** Returns a guide's Markdown, with its placeholders filled in. */
export function guideText(name: (typeof GUIDES)[number][0]): string {
  return readFileSync(join(import.meta.dirname, "guides", `${name}.md`), "utf8").replaceAll(
    /\{(\w+)\}/g,
    (placeholder, key: string) => VALUES[key] ?? placeholder,
  );
}
