import { randomInt } from "node:crypto";
import { exactly } from "./expected.ts";

/**
 * The ten digits of a phone number that belongs to nobody: area codes of the North American Numbering Plan start with 2
 * to 9 (ITU-T E.164, country code 1; NANPA, "Area codes"). There are a billion of them, so that no two runs have the
 * same.
 */
function nobodysDigits(): string {
  return `0${String(randomInt(1e9)).padStart(9, "0")}`;
}

/** An id that no patient has. */
export const NOBODYS_ID = "00000000-0000-4000-8000-000000000000";

/**
 * The fields of a patient with a whole record, and of one that is corrected and erased. With an age and a gender, no
 * thread begins with a question from the model.
 */
export const WHOLE = {
  name: "Live Check (synthetic)",
  conditions: ["synthetic record of the live check"],
  medications: [{ name: "none", dosage: "0 mg", frequency: "never" }],
  allergies: "none",
  notes: [{ text: "This record belongs to nobody." }],
  reminders_enabled: false,
  refill_info: { pharmacy: "none" },
  gender: "none",
  age: 40,
  height: "0 cm",
  weight: "0 kg",
  race: "none",
  blood_type: "none",
};
export const SHORT = { name: "Live Check (erased)", age: 40, gender: "none" };

/** The fields of a record that no client writes. */
export const NOT_FROM_CLIENTS = {
  subscription_plan: "free",
  whatsapp_terms_accepted: false,
  never_show_audio_prompt: false,
  access_code: null,
  apple_messages_id: null,
  apple_messages_terms_accepted: false,
};

type Fields = Partial<typeof WHOLE> & { name: string };

/**
 * A patient whom a run creates and erases, with a phone number of its own, so that several runs can check one service.
 */
export class SyntheticPatient {
  /** The body that creates the patient. */
  readonly request: Fields & { phone_number: string };
  /** The number in E.164. */
  readonly phone: string;
  readonly created: object;
  private readonly fields: Fields;
  /** The fields that all responses with the patient have. */
  private readonly common: object;

  constructor(fields: Fields) {
    const digits = nobodysDigits();
    const { name, conditions = [], medications = [], notes = [], allergies, refill_info = null } = fields;
    this.fields = fields;
    this.phone = `+1${digits}`;
    this.request = { ...fields, phone_number: digits.replace(/^(...)(...)/, "($1) $2-") };
    this.common = {
      name,
      phone_number: `1${digits}`,
      conditions,
      medications,
      notes: exactly(notes),
      reminders_enabled: false,
      join_status: "API",
    };
    this.created = { patient: { ...this.common, allergies, refill_info: exactly(refill_info) } };
  }

  /** What a search returns for the patient. */
  summary(id: string) {
    return { id, name: this.fields.name, phone_number: this.phone.slice(1) };
  }

  /** The response to a request for a second patient with this number. */
  existing(id: string) {
    return exactly({ error: "Patient with this phone number already exists", patient: this.summary(id) });
  }

  /** The response with the whole record. `allergies` is given where they were changed. */
  record(id: string, allergies: string | null = this.fields.allergies ?? null) {
    const { refill_info, gender, age, height, weight, race, blood_type } = this.fields;
    const optional = { gender, age, height, weight, race, blood_type };
    const nullable = Object.entries(optional).map(([name, value]) => [name, value ?? null]);
    return {
      patient: {
        ...this.common,
        ...Object.fromEntries(nullable),
        id,
        allergies,
        refill_info: exactly(refill_info ?? null),
        ...NOT_FROM_CLIENTS,
      },
    };
  }

  /** The patient in an export. */
  exported(id: string) {
    const { notes, refill_info } = this.fields;
    return { ...this.fields, ...this.common, id, notes: exactly(notes), refill_info: exactly(refill_info) };
  }
}
