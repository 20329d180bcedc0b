import { config } from "../config.ts";
import { getAnswer } from "../model/answer.ts";
import { clinicalFacts } from "../patients/clinical-facts.ts";
import { mayAskAbout } from "../patients/consent.ts";
import type { Patient } from "../patients/patient.ts";
import { clinicFor } from "../profile/load-clinic.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Exchange } from "../threads/thread.ts";
import { OPENING_MILLISECONDS } from "../time-limits.ts";
import { INSTRUCTIONS_VERSION } from "./instructions.ts";
import { buildPrompt } from "./prompt.ts";

/**
 * Lets the model open a conversation with a question if the record lacks the patient's age or gender, and the patient
 * has consented if that is required. Never fails: if the model does, the thread starts without a question. The request
 * to the model is not stored, because no patient made it.
 *
 * @returns the first turn of the thread; undefined without one
 */
export async function openingTurn(context: CallerContext, patient: Patient): Promise<Exchange | undefined> {
  const request = openingRequest(patient);
  if (!request) {
    return undefined;
  }
  const clinic = await clinicFor(context);
  if (!mayAskAbout(patient, clinic.consentRequired)) {
    context.log.openingQuestion = "no-consent";
    return undefined;
  }
  try {
    const facts = clinicalFacts(patient, undefined);
    const { prompt } = buildPrompt(clinic, facts, [], request, undefined, config.modelLimits.contextTokens);
    let model: string | null = null;
    const answer = await getAnswer(context, prompt, {
      milliseconds: OPENING_MILLISECONDS,
      onModel: (name) => {
        model = name;
      },
    });
    context.models = model === null ? [] : [model];
    const origin = { model, instructions: INSTRUCTIONS_VERSION, language: "en" }; // that of the request above
    return { question: undefined, parts: [{ kind: "words", text: answer }], origin };
  } catch {
    context.log.openingQuestion = "failed"; // the failure itself has been logged
    return undefined;
  }
}

/** Returns the request to the model; undefined if age and gender are known. */
function openingRequest(patient: Patient): string | undefined {
  const missing = [patient.age === undefined && "age", patient.gender === undefined && "gender"].filter(Boolean);
  if (missing.length === 0) {
    return undefined;
  }
  return `Please open our conversation: greet me in one short sentence and ask me for my ${missing.join(" and ")}, which my record lacks, saying that it helps you to answer better and that I need not tell you.`;
}
