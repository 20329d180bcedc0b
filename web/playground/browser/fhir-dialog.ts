import {
  ApiError,
  type FhirRecord,
  type HealthAssistantClient,
  type ImportPatientResult,
  type ReplaceClinicalResult,
} from "../../../packages/client/client.js";
import { nameOf } from "../chart.ts";
import { button, byId, create } from "./elements.ts";
import { Modal } from "./modal.ts";
import { type ReadPatient, readPatient } from "./patient-reader.ts";

type Report = Pick<ImportPatientResult, "clinical" | "ignored" | "others"> &
  Partial<Pick<ReplaceClinicalResult, "removed">>;

type Entry = Report["clinical"][number];

interface DialogParts {
  clientOf: () => HealthAssistantClient | undefined;
  /** Called with the patient whose record was imported. */
  onChoose: (patient: ReadPatient) => void;
}

/** The dialog that imports a record from a FHIR file, and shows what was taken over and what was not. */
export class FhirDialog {
  private readonly parts: DialogParts;
  private readonly form = byId<HTMLFormElement>("fhir-form");
  private readonly report = byId("fhir-report");
  private readonly modal = new Modal("fhir-dialog", () => {
    this.form.reset();
    this.report.replaceChildren();
  });

  constructor(parts: DialogParts) {
    this.parts = parts;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run((client, record) => this.create(client, record));
    });
  }

  open(): void {
    this.modal.open();
  }

  /** Does something with the file's content. */
  private run(action: (client: HealthAssistantClient, record: FhirRecord) => Promise<void>): void {
    this.report.replaceChildren();
    this.modal.run(async () => {
      const record = await recordIn(byId<HTMLInputElement>("fhir-file").files?.[0]);
      const client = this.parts.clientOf();
      if (!record) {
        this.modal.warn("The file contains no JSON object.");
      } else if (client) {
        await action(client, record);
      }
    });
  }

  private async create(client: HealthAssistantClient, record: FhirRecord): Promise<void> {
    try {
      const result = await client.importPatient(record);
      await this.show(client, result.patient.id, result);
    } catch (error) {
      const owner = error instanceof ApiError ? error.patient : undefined; // who has the phone number;
      if (!owner) {
        throw error;
      }
      this.modal.warn(
        create("p", "", `${nameOf(owner)} has this phone number already. Nothing was imported.`),
        button(`Replace the clinical list of ${nameOf(owner)}`, () =>
          this.run((again, same) => this.replace(again, owner.id, same)),
        ),
      );
    }
  }

  private async replace(client: HealthAssistantClient, id: string, record: FhirRecord): Promise<void> {
    const { etag } = await readPatient(client, id);
    const result = await client.replaceClinical(id, record, { ...(etag && { ifMatch: etag }) });
    await this.show(client, id, result);
  }

  private async show(client: HealthAssistantClient, id: string, result: Report): Promise<void> {
    const patient = await readPatient(client, id);
    this.parts.onChoose(patient);
    this.modal.show(`The record of ${nameOf(patient)} was imported.`);
    const { clinical, ignored, others, removed = [] } = result;
    this.report.replaceChildren(
      ...list("Taken over", clinical.map(entryText)),
      ...list(
        "Ignored",
        ignored.map(({ type, path, reason }) => `${type}, ${path}: ${reason}`),
      ),
      ...list("Removed, because the file does not have it", removed.map(entryText)),
      ...list(
        "Of types that are not read",
        Object.entries(others).map(([type, count]) => `${type}: ${count}`),
      ),
    );
  }
}

/** @returns undefined if the file has none */
async function recordIn(file: File | undefined): Promise<FhirRecord | undefined> {
  try {
    const record = JSON.parse((await file?.text()) ?? "");
    return typeof record === "object" && record !== null ? record : undefined;
  } catch {
    return undefined;
  }
}

function list(title: string, entries: string[]): HTMLElement[] {
  const items = entries.map((text) => {
    const item = create("li", "", text);
    item.dir = "auto";
    return item;
  });
  return entries.length > 0 ? [create("h3", "", `${title} (${entries.length})`), create("ul", "", ...items)] : [];
}

function entryText(entry: Entry): string {
  const { kind, text, statement, status, verification, criticality, reactions = [], dosage, frequency } = entry;
  const facts = [statement?.replaceAll("-", " "), status, verification, dosage, frequency, ...reactions];
  const known = [...facts, criticality && `criticality ${criticality}`].filter(Boolean);
  return `${kind}: ${text}${known.length > 0 ? ` (${known.join(", ")})` : ""}`;
}
