import {
  ApiError,
  type CreatePatientRequest,
  type HealthAssistantClient,
  type Patient,
} from "../../../client/client.js";
import { chart, initials, nameOf } from "../chart.ts";
import { SAMPLE_PATIENTS } from "../samples.ts";
import { button, byId, create } from "./elements.ts";
import { failureText } from "./service.ts";
import { say } from "./speech.ts";

interface PanelParts {
  clientOf: () => HealthAssistantClient | undefined;
  /** Called before another patient, or none, is shown. */
  onSwitch: () => void;
}

/** Shows whom the conversation is about, and lets the user choose another patient in a dialog. */
export class PatientPanel {
  /** Undefined for none. */
  current: Patient | undefined;
  private readonly parts: PanelParts;
  private readonly dialog = byId<HTMLDialogElement>("patients");
  private readonly failure = byId("patient-failure");

  constructor(parts: PanelParts) {
    this.parts = parts;
    byId("choose-patient").addEventListener("click", () => this.open());
    byId("close-patients").addEventListener("click", () => this.dialog.close());
    byId("no-patient").addEventListener("click", () => this.choose(undefined));
    byId("sample-patients").append(
      ...SAMPLE_PATIENTS.map((sample) =>
        button(sampleCard(sample), () => this.run((client) => makeOrFind(client, sample))),
      ),
    );
    this.onSubmit("make-patient", (client, values) => makeOrFind(client, patientOf(values)));
    this.onSubmit("find-patient", async (client, values) => (await client.getPatient(text(values, "id"))).patient);
  }

  /** Shows a patient, or none, without regard to the conversation. */
  show(patient: Patient | undefined): void {
    this.current = patient;
    const record = patient && chart(patient);
    byId("patient").textContent = patient ? nameOf(patient) : "No patient";
    byId("avatar").textContent = patient ? initials(patient) : "?";
    byId("demographics").textContent = record
      ? record.demographics
      : "Answers are general: there is no record to draw on.";
    byId("choose-patient").textContent = patient ? "Switch patient" : "Choose a patient";
    byId("no-patient").hidden = !patient;
    const list = byId("record");
    list.hidden = !record;
    list.replaceChildren(
      ...(record?.facts ?? []).map(({ label, values, alert }) => {
        const chips = values.map((value) => {
          const chip = create("span", alert ? "chip alert-chip" : "chip", value);
          chip.dir = "auto";
          return chip;
        });
        return create(
          "div",
          "",
          create("dt", "", label),
          create("dd", "", ...(chips.length > 0 ? chips : [create("span", "muted", "None recorded")])),
        );
      }),
    );
    list.tabIndex = list.scrollHeight > list.clientHeight ? 0 : -1; // what scrolls must be within reach of the keyboard
  }

  private open(): void {
    if (this.parts.clientOf()) {
      this.failure.hidden = true;
      this.dialog.showModal();
    }
  }

  private choose(patient: Patient | undefined): void {
    this.dialog.close();
    if (patient?.id !== this.current?.id) {
      this.parts.onSwitch();
    }
    this.show(patient);
    say(patient ? `Patient: ${nameOf(patient)}. The next thread is about this patient.` : "No patient.");
    byId("message").focus();
  }

  private onSubmit(id: string, find: (client: HealthAssistantClient, values: FormData) => Promise<Patient>): void {
    const form = byId<HTMLFormElement>(id);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run((client) => find(client, new FormData(form)));
    });
  }

  /** Chooses the patient that is found; failures are shown in the dialog. */
  private async run(find: (client: HealthAssistantClient) => Promise<Patient>): Promise<void> {
    const client = this.parts.clientOf();
    if (!client) {
      return;
    }
    this.failure.hidden = true;
    try {
      this.choose(await find(client));
    } catch (error) {
      this.failure.textContent = failureText(error);
      this.failure.hidden = false;
    }
  }
}

/** Creates a patient. If the phone number is taken, the 409 contains the patient who has it. */
async function makeOrFind(client: HealthAssistantClient, request: CreatePatientRequest): Promise<Patient> {
  const id = await client.createPatient(request).then(
    ({ patient }) => patient.id,
    (error) => {
      if (error instanceof ApiError && error.status === 409 && error.patient) {
        return error.patient.id;
      }
      throw error;
    },
  );
  return (await client.getPatient(id)).patient; // the response to a creation omits some fields
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

/** What was filled in; the rest is left out. */
function patientOf(values: FormData): CreatePatientRequest {
  const list = (name: string) =>
    text(values, name)
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean);
  const conditions = list("conditions");
  const medications = list("medications").map((name) => ({ name }));
  const given = Object.fromEntries(
    ["name", "phone_number", "gender", "allergies"]
      .map((name) => [name, text(values, name)])
      .filter(([, value]) => value),
  );
  return {
    ...given,
    ...(text(values, "age") && { age: Number(text(values, "age")) }),
    ...(conditions.length > 0 && { conditions }),
    ...(medications.length > 0 && { medications }),
  };
}

function text(values: FormData, name: string): string {
  return String(values.get(name) ?? "").trim();
}
