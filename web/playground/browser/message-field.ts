import { byId } from "./elements.ts";

/** The service's limit, in UTF-16 code units. */
const LONGEST = 16_000;

/** A field for a message, in its form. Enter sends. What is too long stays in it, is said, and is not sent. */
export class MessageField {
  private readonly element: HTMLTextAreaElement;
  private readonly limit: HTMLElement;

  /** @param onSend called with what is to be sent, which is not empty */
  constructor(id: string, onSend: (text: string) => void) {
    this.element = byId<HTMLTextAreaElement>(id);
    this.limit = byId(`${id}-limit`);
    const send = () => {
      if (this.value.trim() !== "" && this.value.length <= LONGEST) {
        onSend(this.value);
      }
    };
    this.element.form?.addEventListener("submit", (event) => {
      event.preventDefault();
      send();
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        send();
      }
    });
    this.element.addEventListener("input", () => this.check());
  }

  get value(): string {
    return this.element.value;
  }

  set value(text: string) {
    this.element.value = text;
    this.check();
  }

  focus(): void {
    this.element.focus();
  }

  private check(): void {
    const { length } = this.value;
    const isTooLong = length > LONGEST;
    this.limit.hidden = !isTooLong;
    this.limit.textContent = isTooLong
      ? `${length.toLocaleString("en")} characters; at most ${LONGEST.toLocaleString("en")} can be sent. Shorten the message.`
      : "";
    this.element.setAttribute("aria-invalid", String(isTooLong));
  }
}
