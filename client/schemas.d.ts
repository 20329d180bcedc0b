// Made from the OpenAPI document by "npm run client:types"; not to be changed by hand.

export interface ChatRequest {
  /**
   * What the user says; not only white space
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
  conditions?: (string | { [k: string]: unknown })[];
  allergies?: (string | { [k: string]: unknown })[];
  medications?: {
    name?: string;
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
   * Free-form, at most 16 KB; stored with the thread
   */
  metadata?: {
    [k: string]: unknown;
  };
}
export interface CreatePatientRequest {
  /**
   * Full name
   */
  name?: string;
  /**
   * Any format; 10 digits get the country code 1, and the result must have 11 digits
   */
  phone_number?: string;
  /**
   * Medical conditions; an element may be a serialized object with name and symptoms
   */
  conditions?: string[];
  medications?: {
    name?: string;
    dosage?: string;
    frequency?: string;
  }[];
  /**
   * Comma-separated or a single string
   */
  allergies?: string;
  /**
   * Additional patient information
   */
  notes?: {
    [k: string]: unknown;
  }[];
  /**
   * Default false
   */
  reminders_enabled?: boolean;
  /**
   * Prescription refill information
   */
  refill_info?: {
    [k: string]: unknown;
  };
  /**
   * Accepted and ignored: a patient created here has the value API
   */
  join_status?: string;
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
export interface ChatResponse {
  success: true;
  /**
   * The assistant's answer
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
}
/**
 * The error body of chat, and of whatever has no form of its own
 *
 */
export interface GenericError {
  success: false;
  error: string;
  /**
   * The fields at fault, where a field is
   */
  details?: {
    path: string;
    message: string;
  }[];
}
/**
 * The error body of threads, authentication and a patient's 404
 *
 */
export interface PlainError {
  error: string;
  /**
   * The fields at fault, where a field is
   */
  details?: {
    path: string;
    message: string;
  }[];
}
export interface CreateThreadResponse {
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
}
/**
 * The service's own error body, or the gateway's, which has `success`
 *
 */
export interface ErrorResponse {
  success?: false;
  error: string;
  /**
   * The fields at fault, where a field is
   */
  details?: {
    path: string;
    message: string;
  }[];
}
export interface GetThreadResponse {
  success: true;
  thread: Thread;
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
export interface DeleteThreadResponse {
  success: true;
  message: "Thread deleted successfully";
}
export interface CreatePatientResponse {
  success: true;
  patient: CreatedPatient;
}
export interface CreatedPatient {
  id: string;
  /**
   * Omitted when none was given
   */
  name?: string;
  /**
   * 11 digits; omitted when none was given
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
  id: string;
  /**
   * Omitted when none was given
   */
  name?: string;
  /**
   * 11 digits; omitted when none was given
   */
  phone_number?: string;
}
export interface GetPatientResponse {
  success: true;
  patient: Patient;
}
export interface Patient {
  id: string;
  /**
   * Omitted when none was given
   */
  name?: string;
  /**
   * 11 digits; omitted when none was given
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
}
export interface OpenApiDocument {
  openapi: string;
  [k: string]: unknown;
}
