import { ApiError, type HealthAssistantClient } from "../../../packages/client/client.js";
import { nameOf } from "../chart.ts";
import { changesOf, differences, type RecordText, rebase, recordText } from "../record.ts";
import { button, byId, create } from "./elements.ts";
import { Modal } from "./modal.ts";
import { type ReadPatient, readPatient, updatePatient } from "./patient-reader.ts";
import { isGone } from "./service.ts";
import { say } from "./speech.ts";

const CHANGED = 412;

interface FormParts {
  clientOf: () => HealthAssistantClient | undefined;
  /** Called with a patient who was created, or who has the phone number and was chosen instead. */
  onChoose: (patient: ReadPatient) => void;
  /** Called with the record as it is now. */
  onRead: (patient: ReadPatient) => void;
  /** Called when the patient turns out to be erased. */
  onGone: () => void;
}

/** The dialog in which the user creates a patient or corrects a record. */
export class RecordForm {
  private readonly parts: FormParts;
  private readonly form = byId<HTMLFormElement>("record-form");
  private readonly modal = new Modal("record-dialog", () => this.form.reset());
  /** The record that is being corrected, as it was last read; undefined for a new patient. */
  private patient: ReadPatient | undefined;

  constructor(parts: FormParts) {
    this.parts = parts;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.modal.run(() => this.save());
    });
  }

  /** @param patient undefined to create one */
  open(patient: ReadPatient | undefined, text = recordText(patient)): void {
    this.patient = patient;
    byId("record-title").textContent = patient ? "Edit the record" : "Create a patient";
    byId("save-record").textContent = patient ? "Save changes" : "Create the patient";
    this.fill(text);
    this.modal.open();
  }

  private async save(): Promise<void> {
    const client = this.parts.clientOf();
    if (!client) {
      return;
    }
    try {
      await (this.patient ? this.correct(client, this.patient) : this.create(client));
    } catch (error) {
      if (!(error instanceof ApiError && (await this.explain(client, error)))) {
        throw error;
      }
    }
  }

  private async create(client: HealthAssistantClient): Promise<void> {
    // A patch of an empty record has no nulls.
    const request = changesOf(undefined, this.typed()) as Parameters<typeof client.createPatient>[0];
    const { id } = (await client.createPatient(request)).patient;
    await this.choose(client, id); // the response to a creation omits some fields
  }

  private async correct(client: HealthAssistantClient, patient: ReadPatient): Promise<void> {
    const changes = changesOf(patient, this.typed());
    const changed = Object.keys(changes).length > 0;
    if (changed) {
      this.parts.onRead(await updatePatient(client, patient, changes));
    }
    this.modal.close();
    say(changed ? "The record was corrected." : "Nothing was changed.");
  }

  private async choose(client: HealthAssistantClient, id: string): Promise<void> {
    const patient = await readPatient(client, id);
    this.modal.close();
    this.parts.onChoose(patient);
  }

  /** Says what a failure means, if it is one of those that the user can do something about. */
  private async explain(client: HealthAssistantClient, error: ApiError): Promise<boolean> {
    const { patient } = this;
    const { status, patient: owner } = error; // who has the phone number
    if (owner) {
      const text = create("p", "", `${nameOf(owner)} has this phone number already. Nothing was saved.`);
      const open = button(`Choose ${nameOf(owner)}`, () => this.modal.run(() => this.choose(client, owner.id)));
      this.modal.warn(text, ...(patient ? [] : [open]));
    } else if (status === CHANGED && patient) {
      await this.merge(client, patient);
    } else if (isGone(error) && patient) {
      this.modal.close();
      this.parts.onGone();
    } else {
      return false;
    }
    return true;
  }

  /** Shows what somebody else has changed, and keeps what was typed; saving again applies it to the current record. */
  private async merge(client: HealthAssistantClient, before: ReadPatient): Promise<void> {
    const current = await readPatient(client, before.id);
    const [earlier, now] = [recordText(before), recordText(current)];
    this.patient = current;
    this.parts.onRead(current);
    this.fill(rebase(earlier, this.typed(), now));
    const changes = differences(earlier, now).map((name) =>
      create("li", "", `${this.label(name)}: ${now[name].replaceAll("\n", "; ") || "empty"}`),
    );
    this.modal.warn(
      create("p", "", "Somebody else has changed this record. It now has:"),
      create(
        "ul",
        "",
        ...(changes.length > 0 ? changes : [create("li", "", "another value in a field not shown here")]),
      ),
      create("p", "", "Nothing was saved, and what you typed is kept. Save again to apply it to the current record."),
    );
  }

  private fill(text: RecordText): void {
    for (const [name, value] of Object.entries(text)) {
      this.field(name).value = value;
    }
  }

  private typed(): RecordText {
    const entries = Object.keys(recordText(undefined)).map((name) => [name, this.field(name).value]);
    return Object.fromEntries(entries);
  }

  private field(name: string): HTMLInputElement {
    return this.form.elements.namedItem(name) as HTMLInputElement;
  }

  /** The first words of a field's label; a hint may follow. */
  private label(name: string): string {
    return this.field(name).labels?.[0]?.firstChild?.textContent?.trim() ?? name;
  }
}
