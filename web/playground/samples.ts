import type { CreatePatientRequest, PutSourceRequest } from "../../packages/client/client.js";

/** Invented patients; their phone numbers are reserved for fiction. */
export const SAMPLE_PATIENTS: CreatePatientRequest[] = [
  {
    name: "Maria Example",
    phone_number: "(555) 555-0101",
    age: 34,
    gender: "female",
    conditions: ["asthma", "hay fever"],
    medications: [{ name: "albuterol", dosage: "90 mcg", frequency: "as needed" }],
    allergies: "penicillin",
  },
  {
    name: "Robert Example",
    phone_number: "(555) 555-0102",
    age: 71,
    gender: "male",
    conditions: ["atrial fibrillation", "hypertension"],
    medications: [
      { name: "warfarin", dosage: "5 mg", frequency: "daily" },
      { name: "lisinopril", dosage: "10 mg", frequency: "daily" },
    ],
  },
  {
    name: "Layla Example",
    phone_number: "(555) 555-0103",
    age: 28,
    gender: "female",
    conditions: ["type 1 diabetes", "20 weeks pregnant"],
    medications: [{ name: "insulin glargine", dosage: "18 units", frequency: "at night" }],
    allergies: "sulfonamides, peanuts",
  },
];

/** A source, and the prompt that is answered from it. */
export const SAMPLE_SOURCE: { id: string; source: PutSourceRequest; label: string; text: string } = {
  id: "opening-hours",
  source: {
    title: "Opening hours",
    text: "We are open Monday to Friday from 8 a.m. to 6 p.m.\n\n## Holidays\n\nOn public holidays, the clinic is closed.",
    url: "https://clinic.example.com/hours",
  },
  label: "Sources",
  text: "When are you open on public holidays?",
};

/** Prompts that show what the service does. */
export const SAMPLE_PROMPTS: { label: string; text: string }[] = [
  { label: "Record", text: "Can I take ibuprofen for a headache?" },
  { label: "Caution", text: "Can I take my leftover amoxicillin?" },
  { label: "Emergency", text: "My chest hurts, and my left arm is numb." },
  { label: "Crisis", text: "I do not want to live anymore." },
  { label: "Person", text: "Can I talk to a real person?" },
  { label: "العربية", text: "هل يمكنني تناول الباراسيتامول مع أدويتي؟" },
];
