import { setImmediate } from "node:timers/promises";
import type { Screening } from "../../packages/safety/alerts.ts";
import { alertOf } from "../../packages/safety/alerts.ts";
import { findCautions } from "../../packages/safety/cautions.ts";
import { languageOfConversation } from "../../packages/safety/language.ts";
import { type ReadMessage, readMessage, screen } from "../../packages/safety/screen.ts";
import { config } from "../config.ts";
import { clinicalFacts, type Facts } from "../patients/clinical-facts.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { SearchIndex } from "../sources/search-index.ts";
import { besidesAlert } from "./besides-alert.ts";
import { type Passages, passagesFor } from "./clinic-sources.ts";
import type { Loaded } from "./load.ts";
import { Reply, type ReplyListener } from "./reply.ts";
import { Warnings } from "./warnings.ts";

/** Screens a message and looks for cautions once, so that the first chat does not wait for their data and code to load. */
export function loadSafety(): void {
  const message = "I have had a headache since yesterday. What can I take?";
  screen(message, ["My head hurts"]);
  findCautions({ allergies: ["latex"] }, message, "You can take paracetamol.");
}

/** What is known before the model is asked. The reply has begun if the screen is certain of a danger. */
export interface Screened extends Loaded {
  screening: Screening;
  /** About the patient; none if they cannot be read, so that nothing is answered without them. */
  facts: Facts;
  /** Of the clinic's information, which the answer may cite. */
  passages: Passages;
  reply: Reply;
  warnings: Warnings;
}

/** Of a message that the screen failed on, nobody knows yet whether it is about a danger: the model is asked. */
const UNSCREENED: Screening = {
  language: "en",
  finding: {
    alert: alertOf("other"),
    certainty: "suspected",
    decidedBy: "rule",
    categoryCertain: false,
    evidence: [],
  },
};

/**
 * Reads the message while the function only waits for the thread.
 *
 * @returns undefined if it cannot be read: {@link screenMessage} tries again, and logs the failure
 */
export async function readAhead(message: string): Promise<ReadMessage | undefined> {
  await setImmediate(); // until the database has been asked
  try {
    return readMessage(message);
  } catch {
    return undefined;
  }
}

/**
 * Screens the message for signs of danger, and begins the reply.
 *
 * @param read what {@link readAhead} returned
 * @param sources the clinic's information
 * @param listener undefined for a reply that is read only when it is complete
 */
export function screenMessage(
  context: CallerContext,
  loaded: Loaded,
  read: ReadMessage | undefined,
  sources: SearchIndex | undefined,
  listener: ReplyListener | undefined,
): Screened {
  const { questions, conversation } = loaded;
  const { message } = loaded.request;
  if (listener && !conversation?.thread.hold) {
    context.models = configuredModels(); // for a stream that begins with a fixed text, whichever model answers
  }
  const startedAt = performance.now();
  const screening = besidesAlert("screen", () => screenFor(loaded, read), UNSCREENED);
  context.log.screenMs = Math.round(performance.now() - startedAt);
  const { facts, failure } = factsOf(loaded);
  const reply = new Reply(listener);
  const warnings = new Warnings(reply, screening, facts, [...questions.slice(-2), message], loaded.clinic.helpLines);
  warnings.begin();
  const isCertain = screening.finding?.certainty === "certain";
  const passages = isCertain ? undefined : passagesFor(sources, message, questions);
  return { ...loaded, failure: loaded.failure ?? failure, screening, facts, passages, reply, warnings };
}

/** Screens a message. What shows no language, such as "ok", is in the clinic's. */
function screenFor(
  { clinic, request: { message }, questions, nothingFound }: Loaded,
  read: ReadMessage | undefined,
): Screening {
  const { language } = clinic;
  const screening = screen(read ?? message, questions, undefined, nothingFound);
  return screening.language === "en" && language !== "en"
    ? { ...screening, language: languageOfConversation([...questions, message], language) }
    : screening;
}

/** Returns the patient's facts; if they cannot be read, none and why. */
function factsOf({ patient, request }: Loaded): { facts: Facts; failure: unknown } {
  try {
    return { facts: clinicalFacts(patient, request.patientData), failure: undefined };
  } catch (failure) {
    return { facts: {}, failure };
  }
}

function configuredModels(): string[] {
  const { model, fallbackModel } = config;
  return fallbackModel ? [model.name, fallbackModel.name] : [model.name];
}
