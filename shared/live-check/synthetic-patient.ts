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

/** The fields of a record that was just created, where the request had none. */
export const DEFAULTS = {
  conditions: [],
  medications: [],
  notes: [],
  reminders_enabled: false,
  refill_info: null,
  join_status: "API",
};

/** The further fields of a record that is read: what is not known, and what no client writes. */
export const FURTHER = {
  gender: null,
  age: null,
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
};

type Fields = Partial<typeof WHOLE> & { name: string };

/** A run creates and erases it, with a phone number of its own: several runs can check one service. */
export class SyntheticPatient {
  /** The body that creates the patient. */
  readonly request: Fields & { phone_number: string };
  /** The number in E.164. */
  readonly phone: string;
  /** The fields of the request as responses have them. */
  private readonly fields: Record<string, unknown>;

  constructor(fields: Fields) {
    const digits = nobodysDigits();
    this.phone = `+1${digits}`;
    this.request = { ...fields, phone_number: digits.replace(/^(...)(...)/, "($1) $2-") };
    const { conditions = [], medications = [], notes = [], refill_info = null } = fields;
    const whole = { notes: exactly(notes), refill_info: exactly(refill_info) };
    this.fields = { ...DEFAULTS, ...fields, conditions, medications, ...whole, phone_number: this.phone.slice(1) };
  }

  /** The response to the patient's creation. */
  get created() {
    const returned = Object.entries(this.fields).filter(([name]) => !(name in FURTHER));
    return { patient: { allergies: undefined, ...Object.fromEntries(returned) } };
  }

  summary(id: string) {
    return { id, name: this.request.name, phone_number: this.phone.slice(1) };
  }

  /** The response to a request for a second patient with this number. */
  existing(id: string) {
    return exactly({ error: "Patient with this phone number already exists", patient: this.summary(id) });
  }

  /** The response with the whole record. `allergies` is given where they were changed. */
  record(id: string, allergies: string | null = this.request.allergies ?? null) {
    return { patient: { ...FURTHER, ...this.fields, id, allergies } };
  }

  /** The patient in an export. */
  exported(id: string) {
    return { ...this.fields, id };
  }
}
