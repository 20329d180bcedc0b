import type { ModelErrorKind } from "./model-error.ts";

/**
 * The reasons with which a server says that an answer is complete, in lower case. docs/models.md has the whole sets of
 * the providers, with their sources.
 */
const COMPLETE = [
  "stop", // OpenAI and most others; Gemini's own API in capitals
  "stop_sequence", // Anthropic, Cohere, TGI
  "end_turn", // Anthropic, Bedrock
  "eos", // Together, llama.cpp
  "eos_token", // TGI
  "complete", // Cohere
  "eosfound", // LM Studio's own API
  "stopstringfound",
  "finish", // Amazon Titan
];

/** The kinds of the reasons that say more than that the answer is not complete. */
const KINDS: [reasons: string[], kind: ModelErrorKind][] = [
  [
    ["content_filter", "content_filtered", "safety", "sensitive", "recitation", "blocklist", "prohibited_content"],
    "content-filter",
  ],
  [["spii", "language", "image_safety", "guardrail_intervened", "error_toxic", "model_armor"], "content-filter"],
  [["refusal"], "refusal"],
  [["timeout"], "timeout"],
  [["error", "failed", "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled"], "server"],
  [["user_cancel", "modelunloaded", "malformed_response"], "server"],
];

/**
 * Returns what a finish reason says. Whatever is not known to mean a complete answer means one that was cut.
 *
 * @param reason undefined if the server has sent none
 */
export function readFinishReason(reason: string | undefined): "complete" | "none" | ModelErrorKind {
  if (reason === undefined) {
    return "none";
  }
  const name = reason.trim().toLowerCase();
  if (COMPLETE.includes(name)) {
    return "complete";
  }
  return KINDS.find(([reasons]) => reasons.includes(name))?.[1] ?? "truncated";
}
