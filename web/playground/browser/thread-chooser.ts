import type { HealthAssistantClient, Thread } from "../../../packages/client/client.js";
import { nameOf } from "../chart.ts";
import { button, byId, create } from "./elements.ts";
import { Modal } from "./modal.ts";
import type { PatientPanel } from "./patient-panel.ts";

interface ChooserParts {
  clientOf: () => HealthAssistantClient | undefined;
  patient: PatientPanel;
  /** Called with the ID of the thread that was chosen. */
  onChoose: (threadId: string) => void;
}

/** The dialog in which the user reopens one of the patient's live threads. */
export class ThreadChooser {
  private readonly parts: ChooserParts;
  private readonly list = byId("thread-list");
  private readonly modal = new Modal("threads", () => this.list.replaceChildren());

  constructor(parts: ChooserParts) {
    this.parts = parts;
    byId("choose-thread").addEventListener("click", () => this.open());
  }

  private open(): void {
    const { clientOf, patient } = this.parts;
    const client = clientOf();
    const { current } = patient;
    if (!client || !current) {
      return;
    }
    this.modal.open();
    this.modal.run(async () => {
      const { threads } = await client.listPatientThreads(current.id);
      if (!this.modal.isOpen) {
        return;
      }
      this.list.replaceChildren(...threads.map((thread) => create("li", "", this.entry(thread))));
      if (threads.length === 0) {
        this.modal.show(`${nameOf(current)} has no live thread.`);
      }
    });
  }

  private entry({ threadId, messageCount, lastActivity, expiresAt }: Thread): HTMLButtonElement {
    const [last, end] = [lastActivity, expiresAt].map((time) => new Date(time).toLocaleTimeString([], TIME));
    const facts = `${messageCount} messages, last activity ${last}, expires ${end}`;
    return button(
      create("span", "sample", create("strong", "", `Thread ${threadId}`), create("span", "", facts)),
      () => {
        this.modal.close();
        this.parts.onChoose(threadId);
      },
    );
  }
}

const TIME = { hour: "2-digit", minute: "2-digit" } as const;
