import type { ApiError } from "../../../packages/client/client.js";
import { byId } from "./elements.ts";
import { failureText } from "./service.ts";

/** A modal dialog with buttons that close it (`data-close`), a notice, and one action at a time. */
export class Modal {
  private readonly element: HTMLDialogElement;
  private readonly notice: HTMLElement;
  private readonly onClose: () => void;

  /** @param onClose called when the dialog has been closed, however that happened; possibly more than once */
  constructor(id: string, onClose = () => {}) {
    this.onClose = onClose;
    this.element = byId<HTMLDialogElement>(id);
    this.notice = byId(`${id}-notice`);
    for (const button of this.element.querySelectorAll("[data-close]")) {
      button.addEventListener("click", () => this.isBusy || this.close());
    }
    this.element.addEventListener("cancel", (event) => this.isBusy && event.preventDefault());
    this.element.addEventListener("invalid", () => this.show(), true); // the browser says what is wrong now
    this.element.addEventListener("close", () => this.isOpen || this.cleanUp());
  }

  get isOpen(): boolean {
    return this.element.open;
  }

  private get isBusy(): boolean {
    return this.element.ariaBusy === "true";
  }

  open(): void {
    this.show();
    this.element.showModal();
  }

  close(): void {
    this.element.close();
    this.cleanUp(); // at once: the event comes later, and until then the dialog would keep what it showed
  }

  private cleanUp(): void {
    this.show();
    this.onClose();
  }

  /** Shows something in the notice, which screen readers announce; nothing hides it. */
  show(...content: (Node | string)[]): void {
    this.notice.classList.remove("failure");
    this.notice.hidden = content.length === 0;
    this.notice.replaceChildren(...content);
    this.notice.scrollIntoView({ block: "nearest" });
  }

  /** Shows why something was not done. */
  warn(...content: (Node | string)[]): void {
    this.show(...content);
    this.notice.classList.add("failure");
  }

  /** Marks the fields of the form that a 400 names, each by its name or, if that is another one, its path. */
  private markRefused(error: unknown): void {
    const { details = [] } = error as Partial<ApiError>;
    const fields = [...this.element.querySelectorAll<HTMLInputElement>("[name]")];
    const refused = fields.filter(({ name, dataset: { path: own = name } }) =>
      details.some(({ path }) => path === own || path.startsWith(`${own}.`)),
    );
    for (const field of refused) {
      field.setAttribute("aria-invalid", "true");
    }
    refused[0]?.focus();
  }

  /**
   * Does something, and shows a failure of the service. Until it ends, a second click does nothing, and the dialog
   * stays open, so that a failure is seen.
   */
  async run(action: () => Promise<void>): Promise<void> {
    if (this.isBusy) {
      return;
    }
    this.element.ariaBusy = "true";
    this.show();
    for (const field of this.element.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
    }
    try {
      await action();
    } catch (error) {
      this.warn(failureText(error));
      this.markRefused(error);
    } finally {
      this.element.ariaBusy = "false";
    }
  }
}
