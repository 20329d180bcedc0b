import type { HealthAssistantClient } from "../../../packages/client/client.js";
import { nameOf } from "../chart.ts";
import { byId } from "./elements.ts";
import { Modal } from "./modal.ts";
import type { ReadPatient } from "./patient-reader.ts";
import { isGone } from "./service.ts";

/** The dialog that asks before a patient is erased. */
export class EraseDialog {
  private readonly name = byId("erase-name");
  private readonly modal = new Modal("erase-dialog", () => {
    this.name.textContent = "";
  });
  private id = "";

  /** @param onErased called with what was erased, in words that do not name the patient */
  constructor(clientOf: () => HealthAssistantClient | undefined, onErased: (result: string) => void) {
    byId("confirm-erase").addEventListener("click", () =>
      this.modal.run(async () => {
        const client = clientOf();
        if (client) {
          const result = await erase(client, this.id);
          this.modal.close();
          onErased(result);
        }
      }),
    );
  }

  open({ id, ...patient }: ReadPatient): void {
    this.id = id;
    this.name.textContent = nameOf(patient);
    this.modal.open();
  }
}

async function erase(client: HealthAssistantClient, id: string): Promise<string> {
  try {
    const { erased = { threads: 0, messages: 0 } } = await client.deletePatient(id);
    const { threads, messages } = erased;
    return `The patient was erased, with ${counted(threads, "thread")} and ${counted(messages, "message")}.`;
  } catch (error) {
    if (isGone(error)) {
      return "The patient was already erased.";
    }
    throw error;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
