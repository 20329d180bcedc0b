import { chatDocs } from "../chat/docs.ts";
import { openAiDocs } from "../completions/docs.ts";
import type { Operation } from "../contract/operation.ts";
import { dataLifecycleDocs } from "../data-lifecycle/docs.ts";
import { eventDocs } from "../events/docs.ts";
import { webhookDocs } from "../events/webhook-docs.ts";
import { feedbackDocs } from "../feedback/docs.ts";
import { fhirDocs } from "../fhir/docs.ts";
import { handoffDocs } from "../handoff/docs.ts";
import { patientDocs } from "../patients/docs.ts";
import { profileDocs } from "../profile/docs.ts";
import { sourceDocs } from "../sources/docs.ts";
import { threadDocs } from "../threads/docs.ts";
import { descriptionDocs } from "./docs.ts";

/** What the document says about the endpoints, by their names. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  [
    chatDocs,
    dataLifecycleDocs,
    descriptionDocs,
    eventDocs,
    feedbackDocs,
    fhirDocs,
    handoffDocs,
    openAiDocs,
    patientDocs,
    sourceDocs,
    profileDocs,
    threadDocs,
    webhookDocs,
  ].flatMap((docs) => Object.entries<Operation>(docs)),
);
