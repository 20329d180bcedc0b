import { neutralText } from "../../packages/safety/fixed-texts.ts";
import { recognizeLanguage } from "../../packages/safety/language.ts";
import { config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import { besidesAlert } from "./besides-alert.ts";
import { asksFor, type ChatRequest } from "./chat-request.ts";

/** What only the caller can correct says nothing to a user. */
const FAULTS_OF_CALLERS = ["invalid", "unprocessable"];

/** Notes whom to call in the body of a failure, because every message that is not answered may be about a danger. */
export function noteHelp(context: CallerContext, request: ChatRequest, failure: unknown): void {
  if (failure instanceof ServiceError && FAULTS_OF_CALLERS.includes(failure.kind)) {
    return;
  }
  const { emergencyNumber, crisisLine, poisonControl, abuseLine } = config.helpLines;
  const language = besidesAlert("language", () => recognizeLanguage(request.message).language, "en" as const);
  context.help = {
    isAskedFor: asksFor("safety", request) || asksFor("evidence", request),
    lines: {
      text: neutralText({ firstAid: undefined, mayBeMeant: true, mayBeAbuse: false }, language, config.helpLines),
      emergencyNumber,
      crisisLine,
      poisonControl: poisonControl || null,
      abuseLine: abuseLine || null,
    },
  };
}
