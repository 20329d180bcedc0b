import { ApiError, type CreatePatientRequest, type HealthAssistantClient } from "../../../client/client.js";
import type { Conversation } from "./conversation.ts";
import { byId } from "./elements.ts";
import { failureText } from "./service.ts";
import { say } from "./speech.ts";

/** Makes or finds the patient whom the next thread is about. */
export class PatientPanel {
  /** Undefined for none. */
  patientId: string | undefined;
  private readonly conversation: Conversation;

  /** @param clientOf gives a client, if there is a key */
  constructor(clientOf: () => HealthAssistantClient | undefined, conversation: Conversation) {
    this.conversation = conversation;
    this.onSubmit("make-patient", clientOf, (client, values) => this.make(client, values));
    this.onSubmit("find-patient", clientOf, async (client, values) => {
      const { patient } = await client.getPatient(text(values, "id"));
      this.show(patient);
    });
  }

  private onSubmit(
    id: string,
    clientOf: () => HealthAssistantClient | undefined,
    run: (client: HealthAssistantClient, values: FormData) => Promise<void>,
  ): void {
    const form = byId<HTMLFormElement>(id);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const client = clientOf();
      if (!client) {
        return;
      }
      try {
        await run(client, new FormData(form));
      } catch (error) {
        this.conversation.addNotice(failureText(error), { failure: true });
      }
    });
  }

  /** A taken phone number finds the patient: the 409 names them. */
  private async make(client: HealthAssistantClient, values: FormData): Promise<void> {
    try {
      const { patient } = await client.createPatient(patientOf(values));
      this.show(patient);
    } catch (error) {
      const taken = error instanceof ApiError && error.status === 409 ? error.patient : undefined;
      if (!taken) {
        throw error;
      }
      const { patient } = await client.getPatient(taken.id);
      this.show(patient);
    }
  }

  private show({ id, name, phone_number }: { id: string; name?: string; phone_number?: string }): void {
    this.patientId = id;
    const shown = `${name ?? "Without a name"}${phone_number ? `, ${phone_number}` : ""}`;
    byId("patient").textContent = `${shown}. The next thread is about this patient. Id: ${id}`;
    byId<HTMLInputElement>("patient-id").value = id;
    say(`Patient: ${shown}. The next thread is about this patient.`);
  }
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
