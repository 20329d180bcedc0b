/** Invented patients; their phone numbers are reserved for fiction. */
export const PATIENTS = [
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
    medications: [{ name: "warfarin", dosage: "5 mg", frequency: "daily" }],
  },
];
