import type { Language } from "../packages/safety/alerts.ts";
import { config } from "./config.ts";
import type { HelpLines } from "./help-lines.ts";
import type { OpeningHours } from "./opening-hours.ts";

/** What differs between clinics: a tenant's profile (`shared/profile`), or the settings of the stage. */
export interface Clinic {
  /** Whom a person in danger is told to call. */
  helpLines: HelpLines;
  /** Whose national phone numbers are understood; "US" without a profile, as specified. */
  country: string;
  /** In which a text is written if nothing shows the reader's language. */
  language: Language;
  /** How a patient can reach a person, and how outside the opening hours; undefined if not known. */
  contact: string | undefined;
  contactWhenClosed: string | undefined;
  /** Undefined for a clinic whose hours are not known. */
  hours: OpeningHours | undefined;
  /** How long a user who asked for a person waits before being told of other ways to get help. */
  handoffMinutes: number;
  /** Whether each answer ends with a line saying that it comes from an AI. */
  disclosesInAnswers: boolean;
  /** The text that patients must have consented to before a model is asked about them; undefined for none. */
  consentRequired: string | undefined;
  /** What a user reads first on a thread, before the disclosure. */
  greeting: string | undefined;
  /** Whether the assistant uses words for readers who find reading hard. */
  isPlain: boolean;
  /** What the model is told about the clinic, as data. */
  about: { clinic?: string | undefined; assistant?: string | undefined; services?: string | undefined };
  /** Which state of the profile this is; undefined without one. */
  version: string | undefined;
}

/** What a request needs to know of its tenant before anything else. */
export interface TenantState {
  clinic: Clinic;
  /** Which sources there are; undefined for none. */
  libraryVersion: string | undefined;
  /** Why the state is that of an earlier time, or that of a tenant without a profile and sources. */
  failure?: unknown;
}

/** Returns the clinic of a tenant without a profile. A setting that is missing fails only what needs it. */
export function clinicOfStage(): Clinic {
  return {
    get helpLines() {
      return config.helpLines;
    },
    country: "US",
    language: "en",
    contact: config.humanContact,
    contactWhenClosed: undefined,
    hours: undefined,
    get handoffMinutes() {
      return config.handoffMinutes;
    },
    disclosesInAnswers: config.disclosesInAnswers,
    consentRequired: config.consentRequired,
    greeting: undefined,
    isPlain: false,
    about: {},
    version: undefined,
  };
}
