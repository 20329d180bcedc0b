// Generated from the OpenAPI document by "npm run client:types"; do not edit.

export type AnswerPart =
  | {
      kind: "alert";
      /**
       * A part of the answer; never empty
       */
      text: string;
      level: "crisis" | "emergency";
      category:
        | (
            | "cardiac"
            | "stroke"
            | "breathing"
            | "bleeding"
            | "poisoning"
            | "unconscious"
            | "head-injury"
            | "pregnancy"
            | "infection"
            | "infant-fever"
            | "suicide-attempt"
            | "other"
            | "suicidal-thoughts"
            | "self-harm"
            | "abuse"
          )
        | null;
    }
  | {
      kind: "neutral";
      /**
       * A part of the answer; never empty
       */
      text: string;
    }
  | {
      kind: "safety-net";
      /**
       * A part of the answer; never empty
       */
      text: string;
    }
  | {
      kind: "offer";
      /**
       * A part of the answer; never empty
       */
      text: string;
    }
  | {
      kind: "words";
      /**
       * A part of the answer; never empty
       */
      text: string;
      /**
       * The numbers of the passages that they cite
       */
      cites?: number[];
    }
  | {
      kind: "unanswered";
      /**
       * A part of the answer; never empty
       */
      text: string;
    }
  | {
      kind: "cut";
      /**
       * A part of the answer; never empty
       */
      text: string;
    }
  | {
      kind: "held";
      /**
       * A part of the answer; never empty
       */
      text: string;
      by: string | null;
    }
  | {
      kind: "caution";
      /**
       * A part of the answer; never empty
       */
      text: string;
      /**
       * `allergy`: there is an allergy to the drug or its group. `interaction`: the drug can be dangerous with a medication or condition, or at the patient's age
       */
      basis: "allergy" | "interaction";
      /**
       * The drug that the message or the answer names
       */
      drug: string;
      /**
       * The allergy, medication or condition, or the age
       */
      because: string;
      /**
       * What it rests on is not in the record: the user has said it
       */
      said?: boolean;
    }
  | {
      kind: "unchecked";
      /**
       * A part of the answer; never empty
       */
      text: string;
    }
  | {
      kind: "handoff";
      /**
       * A part of the answer; never empty
       */
      text: string;
    }
  | {
      kind: "disclosure";
      /**
       * A part of the answer; never empty
       */
      text: string;
    }
  | {
      kind: "sources";
      /**
       * A part of the answer; never empty
       */
      text: string;
      citations: Citation[];
    };

export interface ChatRequest {
  /**
   * What the user says; not only white space and invisible characters
   */
  message: string;
  /**
   * The id from POST /threads
   */
  threadId?: string;
  /**
   * UUID; needed only without a thread, or when the thread is not linked to a patient
   */
  patientId?: string;
  /**
   * Finds the patient when patientId is absent; any notation
   */
  phone?: string;
  patientData?: PatientData;
  /**
   * Earlier messages, oldest first; ignored when a thread is used, which has its own
   *
   * @maxItems 100
   */
  conversationHistory?: Message[];
  /**
   * Additional fields of the response: `parts`, the parts of the answer; `safety`, what the safety layer found; `evidence`, the same with the phrases that it rests on and three certainties; `ids`, the ids of the two messages, on a thread; `handoff`, whether a person is needed; `sources`, the passages of the clinic's information that the answer cites, instead of their titles at its end
   */
  include?: ("parts" | "safety" | "evidence" | "ids" | "handoff" | "sources")[];
}
export interface PatientData {
  name?: string;
  gender?: string;
  /**
   * Years
   */
  age?: number;
  height?: string;
  weight?: string;
  race?: string;
  blood_type?: string;
  /**
   * @maxItems 500
   */
  conditions?: (string | { [k: string]: unknown })[];
  /**
   * A list; a text, as in a record, is accepted too
   *
   * @maxItems 500
   */
  allergies?: (string | { [k: string]: unknown })[];
  /**
   * @maxItems 500
   */
  medications?: {
    name: string;
    dosage?: string;
    frequency?: string;
    condition?: string;
  }[];
  /**
   * Date
   */
  last_visit?: string;
  category_note?: string;
  /**
   * Accepted, but never sent to the model
   */
  phone_number?: string;
  /**
   * Accepted, but never sent to the model
   */
  reminders_enabled?: boolean;
}
export interface Message {
  role: "user" | "assistant";
  content: string;
}
export interface CreateThreadRequest {
  /**
   * UUID of the patient to link
   */
  patientId?: string;
  /**
   * Phone number of the patient to link, any notation; asked only without patientId
   */
  phone?: string;
  /**
   * Free-form, at most 16 KB, with at most 10000 values, 128 levels deep, and texts of 32000 characters; stored with the thread, and returned by GET /threads/{id}?include=metadata
   */
  metadata?: {
    [k: string]: unknown;
  };
  /**
   * Additional fields of the response: `disclosure`, that answers come from an AI
   */
  include?: "disclosure"[];
}
export interface AddMessageRequest {
  /**
   * What the person writes; not only white space
   */
  content: string;
  /**
   * The person's name, as it is shown with the message
   */
  author: string;
}
export interface FeedbackRequest {
  rating: "good" | "bad";
  /**
   * @maxItems 7
   */
  reasons?: ("incorrect" | "unsafe" | "unclear" | "not-helpful" | "not-about-me" | "too-long" | "other")[];
  /**
   * In the patient's own words; deleted together with the thread
   */
  comment?: string;
}
export interface HoldThreadRequest {
  /**
   * Who has taken over, as users are told; without it, they are told that a person has
   */
  by?: string;
}
/**
 * A `name` that is not blank, a `phone_number`, or both are required
 *
 */
export interface CreatePatientRequest {
  /**
   * Full name
   */
  name?: string;
  /**
   * Any format; 10 digits get the country code 1, and the result must have 11 digits. With a plus and another country code than 1: 8 to 15 digits, which stay as they are. An extension is left out. With a profile that names a country outside North America, national numbers of that country, which the pattern may not allow
   */
  phone_number?: string;
  /**
   * Medical conditions; an element may be a serialized object with name and symptoms
   *
   * @maxItems 500
   */
  conditions?: string[];
  /**
   * @maxItems 500
   */
  medications?: {
    name: string;
    dosage?: string;
    frequency?: string;
  }[];
  /**
   * Comma-separated or a single string
   */
  allergies?: string;
  /**
   * Additional patient information; each has at most 10000 values, 128 levels deep, and texts of 32000 characters
   *
   * @maxItems 500
   */
  notes?: {
    [k: string]: unknown;
  }[];
  /**
   * Default false
   */
  reminders_enabled?: boolean;
  /**
   * Prescription refill information; at most 10000 values, 128 levels deep, and texts of 32000 characters
   */
  refill_info?: {
    [k: string]: unknown;
  };
  /**
   * Accepted and ignored: a patient created here has the value API
   */
  join_status?: string;
  /**
   * A day, a month or a year; `age` then follows from it
   */
  birth_date?: string;
  /**
   * The patient's consent to chats with an AI
   */
  consent?: {
    /**
     * false: the patient has refused or withdrawn it
     */
    given: boolean;
    /**
     * When the patient said so: ISO 8601 with a time zone
     */
    at: string;
    /**
     * The name of the text that the patient has read; it is logged, and must say nothing about the patient
     */
    version: string;
  };
  gender?: string;
  /**
   * Years
   */
  age?: number;
  height?: string;
  weight?: string;
  race?: string;
  blood_type?: string;
}
export interface UpdatePatientRequest {
  name?: string | null;
  phone_number?: string | null;
  conditions?: string[] | null;
  /**
   * @maxItems 500
   */
  medications?:
    | {
        name: string;
        dosage?: string;
        frequency?: string;
      }[]
    | null;
  allergies?: string | null;
  notes?:
    | {
        [k: string]: unknown;
      }[]
    | null;
  reminders_enabled?: boolean | null;
  refill_info?: {
    [k: string]: unknown;
  } | null;
  join_status?: string | null;
  birth_date?: string | null;
  consent?: {
    /**
     * false: the patient has refused or withdrawn it
     */
    given: boolean;
    /**
     * When the patient said so: ISO 8601 with a time zone
     */
    at: string;
    /**
     * The name of the text that the patient has read; it is logged, and must say nothing about the patient
     */
    version: string;
  } | null;
  gender?: string | null;
  age?: number | null;
  height?: string | null;
  weight?: string | null;
  race?: string | null;
  blood_type?: string | null;
}
/**
 * A `phone_number`, an `identifier`, or a `name` with a `birth_date`, and only one of these
 *
 */
export interface SearchPatientsRequest {
  /**
   * Any format; 10 digits get the country code 1, and the result must have 11 digits. With a plus and another country code than 1: 8 to 15 digits, which stay as they are. An extension is left out. With a profile that names a country outside North America, national numbers of that country, which the pattern may not allow
   */
  phone_number?: string;
  identifier?: {
    /**
     * The system's URI, exactly as it was imported
     */
    system?: string;
    /**
     * Exactly as it was imported
     */
    value: string;
  };
  /**
   * The whole name, in any case
   */
  name?: string;
  /**
   * Exactly as it is stored
   */
  birth_date?: string;
}
export interface PutSourceRequest {
  title: string;
  /**
   * Where people can read it; returned with citations
   */
  url?: string;
  /**
   * BCP 47, such as `en` or `zh-Hant`
   */
  language?: string;
  /**
   * Who has checked it
   */
  reviewedBy?: string;
  /**
   * When, ISO 8601
   */
  reviewedAt?: string;
  /**
   * The last day on which it is used, in UTC
   */
  expiresAt?: string;
  /**
   * The text, in Markdown. Its headings divide it into passages; at most 64 KB
   */
  text: string;
}
export interface Profile {
  /**
   * The clinic's name
   */
  name?: string;
  /**
   * What the assistant is called
   */
  assistantName?: string;
  /**
   * ISO 3166-1: whose numbers are told to a person in danger, and whose national phone numbers are understood
   */
  country?: "US" | "CA" | "GB" | "IE" | "AU" | "NZ" | "DE" | "AT" | "CH" | "FR" | "ES" | "BR" | "NL" | "SE" | "KR";
  /**
   * For texts whose reader's language nothing shows
   */
  language?: "en" | "es" | "pt" | "fr" | "de" | "zh" | "zh-Hant" | "vi" | "tl" | "ar" | "ko" | "ru";
  timeZone?: string;
  /**
   * When people can be reached; requires `timeZone`
   *
   * @maxItems 28
   */
  openingHours?: {
    /**
     * @maxItems 7
     */
    days: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
    opens: string;
    closes: string;
  }[];
  /**
   * Days with other hours; without times, the clinic is closed. Requires `openingHours`
   *
   * @maxItems 60
   */
  exceptions?: {
    date: string;
    opens?: string;
    closes?: string;
  }[];
  /**
   * How a patient reaches a person, as the end of a sentence
   */
  contact?: string;
  /**
   * The same outside the opening hours
   */
  contactWhenClosed?: string;
  /**
   * How long a user who asked for a person waits before being told of other ways to get help
   */
  handoffMinutes?: number;
  /**
   * `plain`: short sentences and everyday words, for readers who find reading hard
   */
  readingLevel?: "plain" | "standard";
  /**
   * Stands before the disclosure of a new thread
   */
  greeting?: string;
  /**
   * What the clinic offers, which the assistant takes as data and not as instructions
   */
  services?: string;
  /**
   * Whether the sentence about the AI is below each answer, too
   */
  disclosure?: "thread" | "answers";
  /**
   * The version of the text that patients must have consented to before a model is asked about them
   */
  consentRequired?: string;
}
/**
 * A Bundle of any type, or a Patient, of FHIR R4
 *
 */
export interface FhirRecord {
  resourceType: "Bundle" | "Patient";
  [k: string]: unknown;
}
export interface CreateWebhookRequest {
  /**
   * An https URL without credentials, whose host has public addresses only
   */
  url: string;
  /**
   * The types of events to send
   *
   * @minItems 1
   * @maxItems 8
   */
  events: (
    | "safety.alert"
    | "handoff.requested"
    | "handoff.unanswered"
    | "thread.expired"
    | "patient.erased"
    | "feedback.created"
    | "message.created"
    | "profile.updated"
  )[];
  /**
   * For you
   */
  description?: string;
}
export interface ChatResult {
  success: true;
  /**
   * The assistant's answer: the texts of its parts, separated by empty lines
   */
  response: string;
  /**
   * 5 digits
   */
  threadId?: string;
  /**
   * Total messages in the thread; present only when a thread is used
   */
  messageCount?: number;
  /**
   * The parts of the answer, in their order
   */
  parts?: AnswerPart[];
  /**
   * The passages of the clinic's own information that the answer cites
   */
  citations?: Citation[];
  safety?: Safety;
  ids?: MessageIds;
  /**
   * Why a person is needed: the user `asked` for one, the assistant is `unable` to help, or there is an alert of the level `crisis` or `emergency`; null if none is, or if one has taken over
   */
  handoff?: {
    reason: "asked" | "unable" | "crisis" | "emergency";
  } | null;
}
export interface Citation {
  /**
   * That of its markers in the answer: 1 for `[1]`
   */
  number: number;
  sourceId: string;
  title: string;
  url: string | null;
  /**
   * The passage
   */
  quote: string;
  /**
   * The first part of the answer that cites it, from 0
   */
  part: number;
}
export interface Safety {
  /**
   * The level of danger; only one that is certain has a fixed text in the response
   */
  level: "none" | "crisis" | "emergency";
  /**
   * What the danger is; null if nothing was found, and for a certain level whose category is not
   */
  category:
    | (
        | "cardiac"
        | "stroke"
        | "breathing"
        | "bleeding"
        | "poisoning"
        | "unconscious"
        | "head-injury"
        | "pregnancy"
        | "infection"
        | "infant-fever"
        | "suicide-attempt"
        | "other"
        | "suicidal-thoughts"
        | "self-harm"
        | "abuse"
      )
    | null;
  /**
   * `certain`: the response contains the fixed text. `likely`, only with `include: ["evidence"]`, otherwise it is `suspected`, too: the model has not judged the message yet, or the response contains the part `safety-net`. `suspected`: no fixed text; the model has not judged the message yet, or could not. null if the level is none
   */
  certainty: ("certain" | "likely" | "suspected") | null;
  /**
   * What decided the level; null if nothing was found. `model` with none: it ruled out a suspicion
   */
  decidedBy: ("rule" | "classifier" | "model") | null;
  /**
   * Only with `include: ["evidence"]`: the phrases of the message that the screen decided by, as they were written; empty if it was not by phrases
   */
  evidence?: string[];
  /**
   * The cautions at the end of the response, in their order
   */
  cautions: {
    /**
     * `allergy`: there is an allergy to the drug or its group. `interaction`: the drug can be dangerous with a medication or condition, or at the patient's age
     */
    kind: "allergy" | "interaction";
    /**
     * The drug that the message or the answer names
     */
    drug: string;
    /**
     * The allergy, medication or condition, or the age
     */
    because: string;
    /**
     * What it rests on is not in the record: the user has said it
     */
    said?: boolean;
  }[];
}
/**
 * The ids of the message and its answer, as in GET /threads/{id}/messages
 *
 */
export interface MessageIds {
  user: string;
  assistant: string;
}
/**
 * The error body of chat, and of everything that has no other
 *
 */
export interface GenericError {
  success: false;
  error: string;
  /**
   * The invalid fields, where fields are invalid; the first 20 at most
   *
   * @maxItems 20
   */
  details?: {
    path: string;
    message: string;
  }[];
  /**
   * How many more invalid fields there are, if not all are listed
   */
  moreDetails?: number;
  help?: Help;
}
/**
 * Whom the user may call, because the message was not answered: for a chat that includes `safety` or `evidence`, in the event `error` of a stream, and for OpenAI's clients, in whose `message` it is, too
 *
 */
export interface Help {
  /**
   * Says it, in the language of the message: show it to the user
   */
  text: string;
  emergencyNumber: string;
  crisisLine: string;
  /**
   * null if there is no such line
   */
  poisonControl: string | null;
  /**
   * null if there is no such line
   */
  abuseLine: string | null;
}
/**
 * The error body of threads, authentication and a patient's 404
 *
 */
export interface PlainError {
  error: string;
  /**
   * The invalid fields, where fields are invalid; the first 20 at most
   *
   * @maxItems 20
   */
  details?: {
    path: string;
    message: string;
  }[];
  /**
   * How many more invalid fields there are, if not all are listed
   */
  moreDetails?: number;
}
export interface CreateThreadResult {
  success: true;
  /**
   * 5 digits
   */
  threadId: string;
  /**
   * An opening question, when the linked patient's age or gender is not known
   */
  initialMessage?: string;
  /**
   * ISO 8601, UTC
   */
  expiresAt: string;
  /**
   * Messages in the thread, user and assistant together
   */
  messageCount: number;
  /**
   * How to use the thread
   */
  message: string;
  /**
   * That answers come from an AI, to show to the user; also a part of `message`
   */
  disclosure?: string;
}
/**
 * The service's own error body, or the gateway's, which has `success`
 *
 */
export interface ErrorResponse {
  success?: false;
  error: string;
  /**
   * The invalid fields, where fields are invalid; the first 20 at most
   *
   * @maxItems 20
   */
  details?: {
    path: string;
    message: string;
  }[];
}
export interface GetThreadResult {
  success: true;
  thread: ThreadDetails;
}
export interface ThreadDetails {
  /**
   * 5 digits
   */
  threadId: string;
  patientId: string | null;
  /**
   * Messages in the thread, user and assistant together
   */
  messageCount: number;
  /**
   * ISO 8601, UTC
   */
  lastActivity: string;
  /**
   * ISO 8601, UTC
   */
  createdAt: string;
  /**
   * ISO 8601, UTC
   */
  expiresAt: string;
  /**
   * As given at creation; null if none was
   */
  metadata?: {
    [k: string]: unknown;
  } | null;
}
export interface DeleteThreadResult {
  success: true;
  message: "Thread deleted successfully";
}
export interface ListMessagesResult {
  success: true;
  messages: ThreadMessage[];
  hasMore: boolean;
  /**
   * The cursor of the next page, if there is more
   */
  next?: string;
}
export interface ThreadMessage {
  /**
   * Opaque; the cursor `before` takes it
   */
  id: string;
  /**
   * `person`: a person of the care team, who had taken over the conversation
   */
  role: "user" | "assistant" | "person";
  /**
   * The name of the person, for the role `person` only
   */
  author?: string;
  content: string;
  /**
   * ISO 8601, UTC
   */
  createdAt: string;
  /**
   * `ai`: a model wrote it, or a part of it. `service`: it consists of the service's own fixed texts. null for the user's messages
   */
  generatedBy: ("ai" | "service") | null;
  /**
   * The model that wrote it; null if none did
   */
  model: string | null;
  /**
   * The parts of the answer, in their order; for the role `assistant` only
   */
  parts?: AnswerPart[];
  safety?: MessageSafety;
}
export interface MessageSafety {
  /**
   * The level of danger; only one that is certain has a fixed text in the response
   */
  level: "none" | "crisis" | "emergency";
  /**
   * What the danger is; null if nothing was found, and for a certain level whose category is not
   */
  category:
    | (
        | "cardiac"
        | "stroke"
        | "breathing"
        | "bleeding"
        | "poisoning"
        | "unconscious"
        | "head-injury"
        | "pregnancy"
        | "infection"
        | "infant-fever"
        | "suicide-attempt"
        | "other"
        | "suicidal-thoughts"
        | "self-harm"
        | "abuse"
      )
    | null;
  /**
   * `certain`: `content` contains the fixed text; null if the level is none
   */
  certainty: ("certain" | "suspected") | null;
  /**
   * What decided the level; null if nothing was found. `model` with none: it ruled out a suspicion
   */
  decidedBy: ("rule" | "classifier" | "model") | null;
  /**
   * The cautions at the end of `content`, in their order
   */
  cautions: {
    /**
     * `allergy`: there is an allergy to the drug or its group. `interaction`: the drug can be dangerous with a medication or condition, or at the patient's age
     */
    kind: "allergy" | "interaction";
    /**
     * The drug that the message or the answer names
     */
    drug: string;
    /**
     * The allergy, medication or condition, or the age
     */
    because: string;
    /**
     * What it rests on is not in the record: the user has said it
     */
    said?: boolean;
    /**
     * The caution's text, which is a part of `content`
     */
    text: string;
  }[];
  /**
   * The fixed text of the alert, which is a part of `content`; null without one
   */
  alertText: string | null;
}
export interface AddMessageResult {
  success: true;
  message: ThreadMessage;
  messageCount: number;
  /**
   * ISO 8601, UTC
   */
  expiresAt: string;
}
export interface StopTurnResult {
  success: true;
  turn: "stopping" | "stopped";
}
export interface GiveFeedbackResult {
  success: true;
  feedback: Feedback;
}
export interface Feedback {
  rating: "good" | "bad";
  reasons: ("incorrect" | "unsafe" | "unclear" | "not-helpful" | "not-about-me" | "too-long" | "other")[];
  comment: string | null;
  /**
   * ISO 8601, UTC
   */
  updatedAt: string;
}
export interface WithdrawFeedbackResult {
  success: true;
  message: "Feedback withdrawn";
}
export interface CountFeedbackResult {
  success: true;
  /**
   * A day, UTC
   */
  from: string;
  /**
   * A day, UTC
   */
  to: string;
  groups: FeedbackGroup[];
}
export interface FeedbackGroup {
  /**
   * A day, UTC
   */
  day?: string;
  rating?: "good" | "bad";
  /**
   * The model that wrote the answers; null for fixed texts
   */
  model?: string | null;
  /**
   * The version of the model's instructions
   */
  instructions?: string;
  /**
   * The level of the alert in the answers
   */
  level?: "none" | "crisis" | "emergency";
  /**
   * The language of the messages, as a BCP 47 tag
   */
  language?: string;
  /**
   * The length of the answers: under 400 characters, under 1,200, or more
   */
  length?: "short" | "medium" | "long";
  /**
   * Rounded down to a multiple of 5
   */
  count: number;
  /**
   * How often each reason was given, rounded down in the same way; less often than 5 times is left out
   */
  reasons: {
    [k: string]: unknown;
  };
}
export interface HoldThreadResult {
  success: true;
  hold: Hold;
  /**
   * When the thread expires without another message; taking it over does not extend this
   */
  expiresAt: string;
}
/**
 * A person's hold on a thread
 *
 */
export interface Hold {
  /**
   * Who has taken over; null if no name was given
   */
  by: string | null;
  /**
   * ISO 8601, UTC
   */
  since: string;
}
export interface GetHandoffResult {
  success: true;
  /**
   * null if nobody has taken over
   */
  hold: {
    /**
     * Who has taken over; null if no name was given
     */
    by: string | null;
    /**
     * ISO 8601, UTC
     */
    since: string;
  } | null;
  /**
   * The user's open request for a person; null without one, and once a person has taken over
   */
  request: {
    reason: "asked" | "unable" | "crisis" | "emergency";
    /**
     * ISO 8601, UTC
     */
    requestedAt: string;
    /**
     * If nobody has taken over by then, `handoff.unanswered` follows, and the next answer tells the user so if `told` is true
     */
    answerBy: string;
    /**
     * Whether the user has read that somebody is being told
     */
    told: boolean;
  } | null;
  /**
   * When the thread expires without another message; taking it over does not extend this
   */
  expiresAt: string;
}
export interface ReturnThreadResult {
  success: true;
  hold: null;
  /**
   * When the thread expires without another message; taking it over does not extend this
   */
  expiresAt: string;
}
export interface CreatePatientResult {
  success: true;
  patient: CreatedPatient;
}
export interface CreatedPatient {
  /**
   * UUID
   */
  id: string;
  /**
   * Omitted when none was given
   */
  name?: string;
  /**
   * 11 digits, or the 8 to 15 of a number with a plus and another country code than 1, which is looked up with the plus in front; omitted when none was given
   */
  phone_number?: string;
  conditions: string[];
  notes: {
    [k: string]: unknown;
  }[];
  reminders_enabled: boolean;
  refill_info: {
    [k: string]: unknown;
  } | null;
  /**
   * The patient's consent to chats with an AI
   */
  consent?: {
    /**
     * false: the patient has refused or withdrawn it
     */
    given: boolean;
    /**
     * When the patient said so: ISO 8601 with a time zone
     */
    at: string;
    /**
     * The name of the text that the patient has read; it is logged, and must say nothing about the patient
     */
    version: string;
  };
  /**
   * ISO 8601, UTC
   */
  created_at: string;
  /**
   * ISO 8601, UTC
   */
  updated_at: string;
  medications: {
    name?: string;
    dosage?: string;
    frequency?: string;
  }[];
  /**
   * Omitted when none was given
   */
  allergies?: string;
  join_status: "API";
}
/**
 * Names the patient who has the phone number
 *
 */
export interface ConflictError {
  error: string;
  patient: PatientSummary;
}
export interface PatientSummary {
  /**
   * UUID
   */
  id: string;
  /**
   * Omitted when none was given
   */
  name?: string;
  /**
   * 11 digits, or the 8 to 15 of a number with a plus and another country code than 1, which is looked up with the plus in front; omitted when none was given
   */
  phone_number?: string;
}
export interface GetPatientResult {
  success: true;
  patient: Patient;
}
export interface Patient {
  /**
   * UUID
   */
  id: string;
  /**
   * Omitted when none was given
   */
  name?: string;
  /**
   * 11 digits, or the 8 to 15 of a number with a plus and another country code than 1, which is looked up with the plus in front; omitted when none was given
   */
  phone_number?: string;
  conditions: string[];
  notes: {
    [k: string]: unknown;
  }[];
  reminders_enabled: boolean;
  refill_info: {
    [k: string]: unknown;
  } | null;
  /**
   * The patient's consent to chats with an AI
   */
  consent?: {
    /**
     * false: the patient has refused or withdrawn it
     */
    given: boolean;
    /**
     * When the patient said so: ISO 8601 with a time zone
     */
    at: string;
    /**
     * The name of the text that the patient has read; it is logged, and must say nothing about the patient
     */
    version: string;
  };
  /**
   * ISO 8601, UTC
   */
  created_at: string;
  /**
   * ISO 8601, UTC
   */
  updated_at: string;
  medications:
    | {
        name?: string;
        dosage?: string;
        frequency?: string;
      }[]
    | null;
  allergies: string | null;
  join_status: string | null;
  gender: string | null;
  age: number | null;
  height: string | null;
  weight: string | null;
  race: string | null;
  blood_type: string | null;
  /**
   * Default free
   */
  subscription_plan: string;
  whatsapp_terms_accepted: boolean;
  never_show_audio_prompt: boolean;
  access_code: string | null;
  apple_messages_id: string | null;
  apple_messages_terms_accepted: boolean;
  /**
   * With `include=clinical`
   */
  birth_date?: string | null;
  /**
   * With `include=clinical`: those of an import
   */
  identifiers?: Identifier[];
  /**
   * With `include=clinical`: the entries of an imported record, from which conditions, allergies and medications are rendered; null for a record that was not imported
   */
  clinical?: ClinicalEntry[] | null;
}
export interface Identifier {
  /**
   * The system's URI
   */
  system?: string;
  value: string;
}
export interface ClinicalEntry {
  /**
   * An observation is a pregnancy status or an eGFR
   */
  kind: "condition" | "allergy" | "medication" | "observation";
  text: string;
  /**
   * Says that there is nothing of this kind, nothing of what `text` names, or that it is not known whether there is anything
   */
  statement?: "none-known" | "none-of-these" | "not-known";
  /**
   * FHIR's clinical status of a condition or an allergy, or the status of a medication statement
   */
  status?: string;
  /**
   * FHIR's verification status
   */
  verification?: string;
  /**
   * Of an allergy
   */
  criticality?: string;
  /**
   * What an allergy has led to
   */
  reactions?: string[];
  code?: {
    system: string;
    code: string;
    display?: string;
  };
  /**
   * Onset, beginning, or when it was observed
   */
  start?: string;
  end?: string;
  dosage?: string;
  frequency?: string;
  /**
   * Pregnancy
   */
  answer?: {
    text: string;
    code?: {
      system: string;
      code: string;
      display?: string;
    };
  };
  /**
   * eGFR
   */
  quantity?: {
    value: number;
    unit?: string;
    comparator?: string;
  };
}
export interface UpdatePatientResult {
  success: true;
  patient: Patient;
}
export interface DeletePatientResult {
  success: true;
  message: "Patient deleted successfully";
  erased: {
    threads: number;
    messages: number;
  };
}
export interface SearchPatientsResult {
  success: true;
  patients: PatientSummary[];
}
export interface ListPatientThreadsResult {
  success: true;
  threads: Thread[];
  hasMore: boolean;
  /**
   * The cursor of the next page, if there is more
   */
  next?: string;
}
export interface Thread {
  /**
   * 5 digits
   */
  threadId: string;
  patientId: string | null;
  /**
   * Messages in the thread, user and assistant together
   */
  messageCount: number;
  /**
   * ISO 8601, UTC
   */
  lastActivity: string;
  /**
   * ISO 8601, UTC
   */
  createdAt: string;
  /**
   * ISO 8601, UTC
   */
  expiresAt: string;
}
export interface ExportPatientResult {
  success: true;
  exportedAt: string;
  patient: ExportedPatient;
  threads: ExportedThread[];
}
export interface ExportedPatient {
  /**
   * UUID
   */
  id: string;
  /**
   * Omitted when none was given
   */
  name?: string;
  /**
   * 11 digits, or the 8 to 15 of a number with a plus and another country code than 1, which is looked up with the plus in front; omitted when none was given
   */
  phone_number?: string;
  conditions: string[];
  notes: {
    [k: string]: unknown;
  }[];
  reminders_enabled: boolean;
  refill_info?: {
    [k: string]: unknown;
  };
  /**
   * The patient's consent to chats with an AI
   */
  consent?: {
    /**
     * false: the patient has refused or withdrawn it
     */
    given: boolean;
    /**
     * When the patient said so: ISO 8601 with a time zone
     */
    at: string;
    /**
     * The name of the text that the patient has read; it is logged, and must say nothing about the patient
     */
    version: string;
  };
  /**
   * ISO 8601, UTC
   */
  created_at: string;
  /**
   * ISO 8601, UTC
   */
  updated_at: string;
  medications: {
    name?: string;
    dosage?: string;
    frequency?: string;
  }[];
  allergies?: string;
  join_status: string;
  gender?: string;
  /**
   * Years
   */
  age?: number;
  height?: string;
  weight?: string;
  race?: string;
  blood_type?: string;
  birth_date?: string;
  identifiers?: Identifier[];
  clinical?: ClinicalEntry[];
}
export interface ExportedThread {
  /**
   * 5 digits
   */
  threadId: string;
  patientId: string | null;
  /**
   * Messages in the thread, user and assistant together
   */
  messageCount: number;
  /**
   * ISO 8601, UTC
   */
  lastActivity: string;
  /**
   * ISO 8601, UTC
   */
  createdAt: string;
  /**
   * ISO 8601, UTC
   */
  expiresAt: string;
  /**
   * As given at creation; null if none was
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  /**
   * The newest first
   */
  messages: ExportedMessage[];
}
export interface ExportedMessage {
  /**
   * Opaque; the cursor `before` takes it
   */
  id: string;
  /**
   * `person`: a person of the care team, who had taken over the conversation
   */
  role: "user" | "assistant" | "person";
  /**
   * The name of the person, for the role `person` only
   */
  author?: string;
  content: string;
  /**
   * ISO 8601, UTC
   */
  createdAt: string;
  /**
   * `ai`: a model wrote it, or a part of it. `service`: it consists of the service's own fixed texts. null for the user's messages
   */
  generatedBy: ("ai" | "service") | null;
  /**
   * The model that wrote it; null if none did
   */
  model: string | null;
  /**
   * The parts of the answer, in their order; for the role `assistant` only
   */
  parts?: AnswerPart[];
  safety?: MessageSafety;
  feedback?: Feedback1;
}
/**
 * What the patient thinks of this answer
 */
export interface Feedback1 {
  rating: "good" | "bad";
  reasons: ("incorrect" | "unsafe" | "unclear" | "not-helpful" | "not-about-me" | "too-long" | "other")[];
  comment: string | null;
  /**
   * ISO 8601, UTC
   */
  updatedAt: string;
}
export interface PutSourceResult {
  success: true;
  source: SourceInfo;
  created: boolean;
}
export interface SourceInfo {
  id: string;
  /**
   * The size of the text, in UTF-8
   */
  bytes: number;
  /**
   * Whether it is no longer used, because `expiresAt` has passed
   */
  expired: boolean;
  /**
   * ISO 8601, UTC
   */
  updatedAt: string;
  title: string;
  /**
   * Where people can read it; returned with citations
   */
  url?: string;
  /**
   * As it was stored; BCP 47
   */
  language?: string;
  /**
   * Who has checked it
   */
  reviewedBy?: string;
  /**
   * When, ISO 8601
   */
  reviewedAt?: string;
  /**
   * The last day on which it is used, in UTC
   */
  expiresAt?: string;
  /**
   * Why its `text` is not used, in a list of sources; missing if it is, or has expired
   */
  problem?: string;
}
export interface GetSourceResult {
  success: true;
  source: Source;
}
export interface Source {
  id: string;
  /**
   * The size of the text, in UTF-8
   */
  bytes: number;
  /**
   * Whether it is no longer used, because `expiresAt` has passed
   */
  expired: boolean;
  /**
   * ISO 8601, UTC
   */
  updatedAt: string;
  title: string;
  /**
   * Where people can read it; returned with citations
   */
  url?: string;
  /**
   * As it was stored; BCP 47
   */
  language?: string;
  /**
   * Who has checked it
   */
  reviewedBy?: string;
  /**
   * When, ISO 8601
   */
  reviewedAt?: string;
  /**
   * The last day on which it is used, in UTC
   */
  expiresAt?: string;
  /**
   * The text, in Markdown. Its headings divide it into passages; at most 64 KB
   */
  text: string;
}
export interface DeleteSourceResult {
  success: true;
  message: "Source deleted successfully";
}
export interface ListSourcesResult {
  success: true;
  sources: SourceInfo[];
}
export interface GetProfileResult {
  success: true;
  profile: Profile;
  applies: AppliedProfile;
}
/**
 * What patients are told, with the deployment's settings for what is missing
 *
 */
export interface AppliedProfile {
  emergencyNumber: string;
  crisisLine: string;
  /**
   * null if there is no such line
   */
  poisonControl: string | null;
  /**
   * null if there is no such line
   */
  abuseLine: string | null;
  /**
   * How a patient reaches a person; null if nothing says so
   */
  contact: string | null;
  /**
   * The same outside the opening hours
   */
  contactWhenClosed: string | null;
  handoffMinutes: number;
  /**
   * Whether the clinic is open now; null without opening hours
   */
  open: boolean | null;
  /**
   * When a closed clinic opens; null if unknown
   */
  opensAt: string | null;
}
export interface PutProfileResult {
  success: true;
  profile: Profile;
  applies: AppliedProfile;
}
export interface ImportPatientResult {
  success: true;
  patient: CreatedPatient;
  /**
   * What was taken over
   */
  clinical: ClinicalEntry[];
  /**
   * What was not taken over of the types that are read, one entry for each resource or element
   */
  ignored: {
    /**
     * The type of the resource
     */
    type: string;
    /**
     * FHIR's path
     */
    path: string;
    reason: string;
  }[];
  /**
   * How much else was not taken over, if `ignored` would have more than 1,000 entries
   */
  moreIgnored?: number;
  /**
   * How many resources there are of the types that are not read
   */
  others: {
    [k: string]: unknown;
  };
}
/**
 * The error body of FHIR, for a caller who accepts it
 *
 */
export interface OperationOutcome {
  resourceType: "OperationOutcome";
  issue: {
    severity: "error";
    code: string;
    details: {
      text: string;
    };
    diagnostics?: string;
    /**
     * The FHIR path of an invalid element
     */
    expression?: string[];
  }[];
}
export interface ReplaceClinicalResult {
  success: true;
  patient: Patient;
  /**
   * What was taken over
   */
  clinical: ClinicalEntry[];
  /**
   * What was not taken over of the types that are read, one entry for each resource or element
   */
  ignored: {
    /**
     * The type of the resource
     */
    type: string;
    /**
     * FHIR's path
     */
    path: string;
    reason: string;
  }[];
  /**
   * How much else was not taken over, if `ignored` would have more than 1,000 entries
   */
  moreIgnored?: number;
  /**
   * How many resources there are of the types that are not read
   */
  others: {
    [k: string]: unknown;
  };
  removed: ClinicalEntry[];
}
/**
 * A Bundle of FHIR R4, valid against its JSON schema
 *
 */
export interface FhirBundle {
  resourceType: "Bundle";
  type: "collection";
  entry: {
    resource: {
      resourceType: string;
      [k: string]: unknown;
    };
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
export interface CreateWebhookResult {
  success: true;
  webhook: Webhook;
  /**
   * Verifies signatures; shown only now
   */
  secret: string;
}
export interface Webhook {
  id: string;
  url: string;
  events: (
    | "safety.alert"
    | "handoff.requested"
    | "handoff.unanswered"
    | "thread.expired"
    | "patient.erased"
    | "feedback.created"
    | "message.created"
    | "profile.updated"
  )[];
  description?: string;
  /**
   * ISO 8601, UTC
   */
  createdAt: string;
  /**
   * `failing`: the last message was not accepted, and is tried again; `disabled`: nothing is sent
   */
  state: "active" | "failing" | "disabled";
  /**
   * `gone`: the receiver answered with a 410; `failing`: it accepted nothing for 5 days
   */
  disabledBecause?: "gone" | "failing";
  /**
   * ISO 8601, UTC
   */
  failingSince?: string;
  /**
   * When the oldest event happened that was not accepted yet; ISO 8601, UTC
   */
  undeliveredSince?: string;
  /**
   * `status`: not a 2xx; `gone`: 410; `timeout`: no answer within 15 seconds; `connection`: none, or not with a valid certificate; `address`: the name stands for an address that is not public
   */
  lastFailure?: "status" | "redirect" | "gone" | "timeout" | "connection" | "address";
  /**
   * Until when nothing is sent, because the receiver asked for it with `Retry-After` in a 429 or 503; ISO 8601, UTC
   */
  pausedUntil?: string;
}
export interface ListWebhooksResult {
  success: true;
  webhooks: Webhook[];
}
export interface DeleteWebhookResult {
  success: true;
  message: "Webhook deleted successfully";
}
export interface RotateWebhookResult {
  success: true;
  /**
   * Verifies signatures; shown only now
   */
  secret: string;
  /**
   * ISO 8601, UTC
   */
  previousSecretUntil: string;
}
export interface TestWebhookResult {
  success: true;
  /**
   * Whether the receiver answered with a 2xx
   */
  accepted: boolean;
  /**
   * The receiver's status, if it answered
   */
  status?: number;
  /**
   * `status`: not a 2xx; `gone`: 410; `timeout`: no answer within 15 seconds; `connection`: none, or not with a valid certificate; `address`: the name stands for an address that is not public
   */
  failure?: "status" | "redirect" | "gone" | "timeout" | "connection" | "address";
}
export interface ListEventsResult {
  success: true;
  events: Event[];
  hasMore: boolean;
  /**
   * The cursor to continue with, now or later
   */
  next?: string;
}
export interface Event {
  /**
   * Also the `webhook-id` of its messages, and a cursor
   */
  id: string;
  type:
    | "safety.alert"
    | "handoff.requested"
    | "handoff.unanswered"
    | "thread.expired"
    | "patient.erased"
    | "feedback.created"
    | "message.created"
    | "profile.updated";
  /**
   * ISO 8601, UTC
   */
  timestamp: string;
  /**
   * What it is about; without IDs after the patient was erased
   */
  data: {
    threadId?: string;
    patientId?: string;
    messageId?: string;
    /**
     * The level of an alert
     */
    level?: "crisis" | "emergency";
    /**
     * Until when the thread can be read
     */
    expiresAt?: string;
    /**
     * Whether the clinic was open when a person was requested; only with opening hours
     */
    open?: boolean;
    /**
     * When a closed clinic opens
     */
    opensAt?: string;
  };
}
/**
 * The error body of OpenAI's API
 *
 */
export interface OpenAiError {
  error: {
    message: string;
    type: string;
    /**
     * The invalid parameter
     */
    param: string | null;
    code: string;
    help?: Help;
  };
}
export interface OpenApiDocument {
  openapi: string;
  [k: string]: unknown;
}
