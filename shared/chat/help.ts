import { neutralText } from "../../packages/safety/fixed-texts.ts";
import { languageOfConversation } from "../../packages/safety/language.ts";
import type { Clinic } from "../clinic.ts";
import { ServiceError } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import { besidesAlert } from "./besides-alert.ts";
import { asksFor, type ChatRequest } from "./chat-request.ts";

/** What only the caller can correct says nothing to a user. */
const FAULTS_OF_CALLERS = ["invalid", "unprocessable"];

/** Notes whom to call in the body of a failure, because every message that is not answered may be about a danger. */
export function noteHelp(context: CallerContext, request: ChatRequest, failure: unknown, clinic: Clinic): void {
  if (failure instanceof ServiceError && FAULTS_OF_CALLERS.includes(failure.kind)) {
    return;
  }
  const { emergencyNumber, crisisLine, poisonControl, abuseLine } = clinic.helpLines;
  const language = besidesAlert(
    "language",
    () => languageOfConversation([request.message], clinic.language),
    "en" as const,
  );
  context.help = {
    isAskedFor: asksFor("safety", request) || asksFor("evidence", request),
    lines: {
      text: neutralText({ firstAid: undefined, mayBeMeant: true, mayBeAbuse: false }, language, clinic.helpLines),
      emergencyNumber,
      crisisLine,
      poisonControl: poisonControl || null,
      abuseLine: abuseLine || null,
    },
  };
}
