import { describe, expect, test } from "@jest/globals";
import { readFinishReason } from "../../../shared/model/finish-reasons.ts";

/** What providers document, by what it says. */
const REASONS = {
  complete: "stop STOP stop_sequence end_turn eos eos_token COMPLETE eosFound stopStringFound FINISH",
  "content-filter":
    "content_filter CONTENT_FILTERED SAFETY sensitive RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE IMAGE_SAFETY guardrail_intervened ERROR_TOXIC MODEL_ARMOR",
  refusal: "refusal",
  timeout: "timeout",
  server:
    "error failed network_error insufficient_system_resource abort aborted cancelled user_cancel modelUnloaded MALFORMED_RESPONSE",
  truncated: "length max_tokens MAX_TOKENS model_length tool_calls function_call pause_turn something_new",
};

describe.each(Object.entries(REASONS))("an answer ended as %s", (meaning, reasons) => {
  test.each(reasons.split(" "))("if the server says %s", (reason) => {
    expect(readFinishReason(reason)).toBe(meaning);
  });
});

test("no reason says nothing", () => {
  expect(readFinishReason(undefined)).toBe("none");
});
