import { expect, test } from "@jest/globals";
import { kindOfRefusal, type ModelErrorKind } from "../../../shared/model/model-error.ts";

test.each<[status: number, code: string, message: string, kind: ModelErrorKind]>([
  [429, " insufficient_quota", "", "quota"],
  [429, "billing_hard_limit_reached", "", "quota"],
  [400, "", "This model's maximum context length is 4096 tokens", "context-too-long"],
  [400, "exceed_context_size_error", "the request exceeds the available context size", "context-too-long"],
  [400, "", "Your input exceeds the context window of this model", "context-too-long"],
  [500, "", "the request exceeds the available Context Size", "context-too-long"],
  [400, "content_policy_violation", "", "content-filter"],
  [502, "", "", "server"],
  [409, "", "", "rejected"],
])("an error response %i %j %j of the provider is of the kind %s", (status, code, message, kind) => {
  expect(kindOfRefusal(status, code, message)).toBe(kind);
});
