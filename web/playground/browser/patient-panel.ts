import type { HealthAssistantClient } from "../../../packages/client/client.js";
import { chart, initials, nameOf } from "../chart.ts";
import { recordText } from "../record.ts";
import { byId, create } from "./elements.ts";
import { EraseDialog } from "./erase-dialog.ts";
import { FhirDialog } from "./fhir-dialog.ts";
import { PatientChooser } from "./patient-chooser.ts";
import type { ReadPatient } from "./patient-reader.ts";
import { RecordForm } from "./record-form.ts";
import { changeSession } from "./session.ts";
import { say } from "./speech.ts";

/** From so many entries on, their number is shown: the last ones may have scrolled out of view. */
const MANY = 6;

interface PanelParts {
  clientOf: () => HealthAssistantClient | undefined;
  /** Called before another patient, or none, is shown, with the one shown until now. */
  onSwitch: (from: ReadPatient | undefined) => void;
  /** Called when the patient was erased, with what was erased. */
  onErase: (result: string) => void;
}

/** Shows whom the conversation is about; in dialogs, the user chooses, creates, corrects and erases patients. */
export class PatientPanel {
  /** Undefined for none. */
  current: ReadPatient | undefined;
  private readonly parts: PanelParts;

  constructor(parts: PanelParts) {
    const { clientOf } = parts;
    this.parts = parts;
    const form = new RecordForm({
      clientOf,
      onChoose: (patient) => this.choose(patient),
      onRead: (patient) => this.show(patient),
      onGone: () => this.forget("The patient was already erased."),
    });
    const eraseDialog = new EraseDialog(clientOf, (result) => this.forget(result));
    const fhirDialog = new FhirDialog({ clientOf, onChoose: (patient) => this.choose(patient) });
    new PatientChooser({
      clientOf,
      onChoose: (patient) => this.choose(patient),
      onImport: () => fhirDialog.open(),
      onCreate: (typed) =>
        form.open(undefined, recordText({ phone_number: typed.replace(/^\s*(\d{10})\s*$/, "+1$1") })),
    });
    byId("edit-patient").addEventListener("click", () => this.current && clientOf() && form.open(this.current));
    byId("erase-patient").addEventListener("click", () => this.current && clientOf() && eraseDialog.open(this.current));
  }

  /** Shows a patient, or none, without regard to the conversation. */
  show(patient: ReadPatient | undefined): void {
    this.current = patient;
    changeSession({ patientId: patient?.id });
    const record = patient && chart(patient);
    byId("patient").textContent = patient ? nameOf(patient) : "No patient";
    byId("avatar").textContent = patient ? initials(patient) : "?";
    byId("demographics").textContent = record
      ? record.demographics
      : "Answers are general: there is no record to draw on.";
    byId("choose-patient").replaceChildren(
      ...(patient ? ["Switch", create("span", "more", " patient")] : ["Choose a patient"]),
    );
    for (const id of ["no-patient", "patient-menu", "choose-thread"]) {
      byId(id).hidden = !patient;
    }
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
          create("dt", "", values.length > MANY ? `${label} (${values.length})` : label),
          create("dd", "", ...(chips.length > 0 ? chips : [create("span", "muted", "None recorded")])),
        );
      }),
    );
    for (const values of list.querySelectorAll("dd")) {
      if (values.scrollHeight > values.clientHeight) {
        values.tabIndex = 0; // what scrolls must be within reach of the keyboard
      }
    }
  }

  private choose(patient: ReadPatient | undefined): void {
    if (patient?.id !== this.current?.id) {
      this.parts.onSwitch(this.current);
    }
    this.show(patient);
    say(patient ? `Patient: ${nameOf(patient)}. The next thread is about this patient.` : "No patient.");
    byId("message").focus();
  }

  private forget(result: string): void {
    this.show(undefined);
    this.parts.onErase(result);
    byId("choose-patient").focus(); // the button that had the focus is hidden
  }
}
