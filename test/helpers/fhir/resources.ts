/** The patient of a bundle, with more elements. */
export const person = (more: object = {}) => ({
  resourceType: "Patient",
  id: "p",
  name: [{ text: "Pat" }],
  ...more,
});

/** A bundle of resources. */
export const bundle = (...resources: object[]) => ({
  resourceType: "Bundle",
  type: "collection",
  entry: resources.map((resource) => ({ resource })),
});

/** A medicine that the patient takes. */
export const statement = (medication: object) => ({
  resourceType: "MedicationStatement",
  status: "active",
  subject: { reference: "Patient/p" },
  ...medication,
});

/** As many elements. */
export const many = <Element>(count: number, element: (index: number) => Element): Element[] =>
  Array.from({ length: count }, (_, index) => element(index));
