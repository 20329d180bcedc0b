/** One documented failure: its text, and what else its body has. */
export interface ErrorExample {
  error: string;
  [field: string]: unknown;
}

export interface Operation {
  tag: "Chat" | "Threads" | "Patients" | "Description";
  summary: string;
  description: string;
  /** The path parameter, where there is one. */
  id?: { description: string; example: string };
  /** Headers that mean something to this operation. */
  headers?: { name: string; description: string; example: string }[];
  requests?: Record<string, unknown>;
  success: Record<string, unknown>;
  /** By status; what every operation can answer (401, 413, 429, 500) is added by the document. */
  errors: Record<string, ErrorExample[]>;
}

const PATIENT_ID = "7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11";
const NO_SUCH_PATIENT = { error: "Patient not found with the provided ID" };
const INVALID_JSON = {
  error: "Request body is not valid JSON",
  details: [{ path: "", message: "Request body is not valid JSON" }],
};

const patient = {
  id: PATIENT_ID,
  name: "Maria Lopez",
  phone_number: "15551234567",
  conditions: ["asthma"],
  medications: [{ name: "albuterol", dosage: "90 mcg", frequency: "as needed" }],
  allergies: "penicillin",
  notes: [],
  reminders_enabled: false,
  refill_info: null,
  join_status: "API",
  created_at: "2026-03-01T09:00:00.000Z",
  updated_at: "2026-03-01T09:00:00.000Z",
};

/** What the document says of each operation besides its schemas, by the route's name. */
export const operations: Record<string, Operation> = {
  chat: {
    tag: "Chat",
    summary: "Ask the assistant",
    description: `Answers a message. With a \`threadId\` the thread's last 20 messages are the context, and question and answer are
appended to it; \`conversationHistory\` is then ignored. Without one, \`conversationHistory\` is the context and nothing is
stored.

The patient is the one linked to the thread; else that of \`patientId\`; else that of \`phone\`, and when nobody has that
number the chat goes on without a record. \`patientData\` overrides the record field by field, for this request only.

Chats on one thread may run in parallel: each is committed whole, in the order in which their answers are ready. When the
thread is deleted or expires before the answer is ready, the call ends with a 404 and nothing is stored.

**Streaming.** With \`Accept: text/event-stream\` a 200 comes as server-sent events: \`delta\` with \`{"text": …}\` as the words
arrive, then \`done\` with exactly the JSON body of the plain call, sent when the turn is stored. The texts of the deltas put
together are the \`response\`. When the model fails after the first word, \`error\` with the error's body comes instead of
\`done\`, and nothing is stored; before the first word, errors have their status and JSON body. Lines that begin with a colon
are to be ignored; they keep an idle connection open. A turn whose caller hangs up is stored all the same.

**Safe repetition.** With an \`Idempotency-Key\`, a request on a thread can be sent again after a lost connection: it gets
the answer that was stored, and neither is the model asked nor a turn stored again. A repetition while the first is at work
waits for it. The key lives and dies with its thread.

**Danger.** A message that speaks of an emergency (or of suicide, self-harm or abuse) is answered by a fixed text first: whom
to call, and what to do until help comes; then by the model, or by nothing more when the model fails. In a stream the fixed
text is the first \`delta\`. Such an answer comes with a 200 even when the database fails: without \`threadId\` and
\`messageCount\`, it was not stored. The service misses some emergencies: it is a net below the caller's own, not the net.
An answer that names a drug which the record's allergies or medications speak against ends with a caution.`,
    headers: [
      {
        name: "Idempotency-Key",
        description: "1 to 255 printable ASCII characters, new for each message; means something only with a threadId.",
        example: "9d0a7c9e-2f61-4f0e-8f6a-6a0de2a4b3c1",
      },
    ],
    requests: {
      "In a thread": { message: "Can I take ibuprofen for a headache?", threadId: "48213" },
      "Without a thread": {
        message: "And how often?",
        phone: "(555) 123-4567",
        patientData: { age: 34, allergies: ["penicillin"] },
        conversationHistory: [
          { role: "user", content: "Can I take paracetamol?" },
          { role: "assistant", content: "Most adults can. Do you take any other medicine?" },
        ],
      },
    },
    success: {
      "In a thread": {
        success: true,
        response: "Ibuprofen can make asthma worse in some people. Has it ever done so for you?",
        threadId: "48213",
        messageCount: 2,
      },
      "Without a thread": { success: true, response: "Follow the leaflet, and ask your pharmacist when unsure." },
    },
    errors: {
      "400": [
        { error: "message is required", details: [{ path: "message", message: "message is required" }] },
        {
          error: "patientId names another patient than the one this thread is linked to",
          details: [{ path: "patientId", message: "must be the thread's own patient" }],
        },
        INVALID_JSON,
      ],
      "404": [{ error: "Thread not found or expired" }, NO_SUCH_PATIENT],
      "409": [{ error: "A request with this Idempotency-Key is still being processed" }],
      "422": [{ error: "Idempotency-Key was used with another request" }],
    },
  },
  "create-thread": {
    tag: "Threads",
    summary: "Open a thread",
    description: `Opens a conversation that lives until 30 minutes have passed without a message. Every field is optional; the body may be
empty. With \`patientId\`, or a \`phone\` that a patient has, the thread is linked to that patient; a phone number that nobody
has gives a thread without one.

When the linked patient's age or gender is not known, the assistant may open with a question, \`initialMessage\`; it is part
of the thread, which then has 2 messages.`,
    requests: {
      "Linked by phone": { phone: "+1 (555) 123-4567", metadata: { source: "web" } },
      "Linked by id": { patientId: PATIENT_ID },
      "Without a patient": {},
    },
    success: {
      "Without an opening question": {
        success: true,
        threadId: "48213",
        expiresAt: "2026-03-01T09:30:00.000Z",
        messageCount: 0,
        message: "Thread created. Send messages with POST /chat and threadId 48213.",
      },
      "With an opening question": {
        success: true,
        threadId: "48213",
        initialMessage: "Hello! May I ask how old you are? It helps me to answer better, and you need not tell me.",
        expiresAt: "2026-03-01T09:30:00.000Z",
        messageCount: 2,
        message: "Thread created. Send messages with POST /chat and threadId 48213.",
      },
    },
    errors: {
      "400": [
        INVALID_JSON,
        {
          error: "phone: Invalid input: expected string, received number",
          details: [{ path: "phone", message: "Invalid input: expected string, received number" }],
        },
      ],
      "404": [NO_SUCH_PATIENT],
    },
  },
  "get-thread": {
    tag: "Threads",
    summary: "Look at a thread",
    description: "Tells of a thread without its messages and metadata. Looking does not prolong its life.",
    id: { description: "The 5-digit thread id", example: "48213" },
    success: {
      "A linked thread": {
        success: true,
        thread: {
          threadId: "48213",
          patientId: PATIENT_ID,
          messageCount: 4,
          lastActivity: "2026-03-01T09:05:00.000Z",
          createdAt: "2026-03-01T09:00:00.000Z",
          expiresAt: "2026-03-01T09:35:00.000Z",
        },
      },
    },
    errors: { "404": [{ error: "Thread not found or expired" }] },
  },
  "delete-thread": {
    tag: "Threads",
    summary: "Delete a thread",
    description:
      "Removes a thread and all its messages, at once and for good. A chat that is waiting for its answer ends with a 404.",
    id: { description: "The 5-digit thread id", example: "48213" },
    success: { Deleted: { success: true, message: "Thread deleted successfully" } },
    errors: { "404": [{ error: "Thread not found" }] },
  },
  "create-patient": {
    tag: "Patients",
    summary: "Create a patient",
    description: `Creates a patient record, one per phone number in whatever way it is written: everything but digits is dropped, and 10
digits get the country code 1. Every field is optional, but a patient needs a \`name\` or a \`phone_number\`, and a phone number
must have 10 or 11 digits.`,
    requests: {
      "A full record": {
        name: "Maria Lopez",
        phone_number: "+1 (555) 123-4567",
        age: 34,
        gender: "female",
        conditions: ["asthma"],
        medications: [{ name: "albuterol", dosage: "90 mcg", frequency: "as needed" }],
        allergies: "penicillin",
      },
      "A phone number": { phone_number: "555.123.4567" },
    },
    success: { Created: { success: true, patient } },
    errors: {
      "400": [
        {
          error: "Failed to create patient",
          details: [{ path: "phone_number", message: "must have 10 digits, or 11 with the country code" }],
        },
      ],
      "409": [
        {
          error: "Patient with this phone number already exists",
          patient: { id: PATIENT_ID, name: "Maria Lopez", phone_number: "15551234567" },
        },
      ],
    },
  },
  "get-patient": {
    tag: "Patients",
    summary: "Read a patient",
    description: "Returns a patient record. What is not known is null, or left out.",
    id: { description: "The patient's UUID", example: PATIENT_ID },
    success: {
      Found: {
        success: true,
        patient: {
          ...patient,
          gender: "female",
          age: 34,
          height: null,
          weight: null,
          race: null,
          blood_type: null,
          subscription_plan: "free",
          whatsapp_terms_accepted: false,
          never_show_audio_prompt: false,
          access_code: null,
          apple_messages_id: null,
          apple_messages_terms_accepted: false,
        },
      },
    },
    errors: { "404": [{ error: "Patient not found" }] },
  },
  openapi: {
    tag: "Description",
    summary: "Read this document",
    description: "The OpenAPI 3.1 description of the interface. Needs no key.",
    success: {},
    errors: {},
  },
  docs: {
    tag: "Description",
    summary: "Read the reference",
    description:
      "This description as a web page, with guides, and a form to try each operation. Needs no key. The page is one file that loads nothing else.",
    success: {},
    errors: {},
  },
};
