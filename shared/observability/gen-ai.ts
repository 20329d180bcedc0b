import type { ModelSettings } from "../config.ts";
import type { TokenUsage } from "../request/request-context.ts";

// The names of OpenTelemetry's semantic conventions for generative AI, so that other tools know the fields of our log
// lines (repository open-telemetry/semantic-conventions-genai, docs/gen-ai/openai.md and aws-bedrock.md, of 2026;
// status "Development", nothing released). They name no duration of a call outside metrics: `modelMs` is ours.

/** The fields of a log line about a call to a model. */
export function modelFields({ name, provider }: ModelSettings) {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider.kind === "bedrock" ? "aws.bedrock" : "openai",
    "gen_ai.request.model": name,
  };
}

/** The fields of a log line for the tokens that it is about; those of the cache are among the input tokens. */
export function usageFields(usage: TokenUsage | undefined) {
  return (
    usage && {
      "gen_ai.usage.input_tokens": usage.inputTokens,
      "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
      "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
      "gen_ai.usage.output_tokens": usage.outputTokens,
      usageEstimated: usage.estimated,
    }
  );
}
