import type { CreatePatientRequest, HealthAssistantClient } from "../../../packages/client/client.js";
import { chart, nameOf } from "../chart.ts";
import { SAMPLE_PATIENTS } from "../samples.ts";
import { button, byId, create } from "./elements.ts";
import { Modal } from "./modal.ts";
import { type ReadPatient, readPatient } from "./patient-reader.ts";

interface ChooserParts {
  clientOf: () => HealthAssistantClient | undefined;
  /** Called with the patient who was chosen, or undefined to go on without one. */
  onChoose: (patient: ReadPatient | undefined) => void;
  /** Called when the user wants to create a patient, with the phone number that was looked up. */
  onCreate: (phone: string) => void;
  /** Called when the user wants to import a patient from FHIR. */
  onImport: () => void;
}

/** The dialog in which the user finds a patient by phone number or ID, or chooses a sample. A lookup creates nobody. */
export class PatientChooser {
  private readonly parts: ChooserParts;
  private readonly phone = byId<HTMLInputElement>("lookup-phone");
  private readonly modal = new Modal("patients", () => {
    for (const form of document.querySelectorAll<HTMLFormElement>("#patients form")) {
      form.reset();
    }
  });

  constructor(parts: ChooserParts) {
    this.parts = parts;
    byId("choose-patient").addEventListener("click", () => parts.clientOf() && this.modal.open());
    byId("no-patient").addEventListener("click", () => this.choose(undefined));
    byId("create-patient").addEventListener("click", () => this.create());
    byId("import-patient").addEventListener("click", () => {
      this.modal.close();
      parts.onImport();
    });
    byId("sample-patients").append(
      ...SAMPLE_PATIENTS.map((sample) =>
        button(sampleCard(sample), () => this.run((client) => sampled(client, sample))),
      ),
    );
    this.onSubmit("lookup", async (client) => {
      const { patients } = await client.searchPatients({ phone_number: this.phone.value });
      return patients[0]?.id;
    });
    this.onSubmit("find-patient", async () => byId<HTMLInputElement>("patient-id").value.trim());
  }

  private onSubmit(id: string, find: (client: HealthAssistantClient) => Promise<string | undefined>): void {
    byId(id).addEventListener("submit", (event) => {
      event.preventDefault();
      this.run(find);
    });
  }

  /** Chooses the patient whose ID is found, unless the user has closed the dialog in the meantime. */
  private run(find: (client: HealthAssistantClient) => Promise<string | undefined>): void {
    this.modal.run(async () => {
      const client = this.parts.clientOf();
      const id = client && (await find(client));
      const patient = id && (await readPatient(client, id));
      if (patient && this.modal.isOpen) {
        this.choose(patient);
      } else if (client && !id) {
        const offer = button("Create a patient with this number", () => this.create());
        this.modal.show(create("p", "", "No patient has this phone number. Nobody was created."), offer);
      }
    });
  }

  private choose(patient: ReadPatient | undefined): void {
    this.modal.close();
    this.parts.onChoose(patient);
  }

  private create(): void {
    const phone = this.phone.value;
    this.modal.close();
    this.parts.onCreate(phone);
  }
}

/** Finds a sample patient, or creates it the first time. */
async function sampled(client: HealthAssistantClient, sample: CreatePatientRequest): Promise<string> {
  const { patients } = await client.searchPatients({ phone_number: sample.phone_number ?? "" });
  return patients[0]?.id ?? (await client.createPatient(sample)).patient.id;
}

function sampleCard(sample: CreatePatientRequest): HTMLElement {
  const { demographics, facts } = chart(sample);
  const values = facts.flatMap(({ label, values }) => (values.length > 0 ? [`${label}: ${values.join(", ")}`] : []));
  return create(
    "span",
    "sample",
    create("strong", "", nameOf(sample)),
    create("span", "", demographics),
    ...values.map((value) => create("span", "", value)),
  );
}
