import { ModelError } from "../model/model-error.ts";
import { CitationReader } from "../sources/citations.ts";
import { besidesAlert } from "./besides-alert.ts";
import { InstructionEcho } from "./instruction-echo.ts";
import { NEVER_SAID } from "./instructions.ts";
import type { Reply } from "./reply.ts";
import type { Screened } from "./screen-message.ts";
import type { Warnings } from "./warnings.ts";

/**
 * Writes the model's words to the reply: in a stream as they arrive, otherwise once they are complete. They lose what they
 * repeat of the instructions, and numbers in brackets that no passage has.
 */
export class ModelWords {
  private readonly reply: Reply;
  private readonly warnings: Warnings;
  private readonly echo = new InstructionEcho(NEVER_SAID);
  private readonly markers: CitationReader | undefined;
  /** What waits for the model's verdict on the message; undefined if nothing has to. */
  private waiting: string | undefined;
  /** Whether the model has said anything, also if it is not written yet. */
  begun = false;

  /** @param waits whether the words wait for {@link release} */
  constructor({ reply, warnings, passages }: Screened, waits: boolean) {
    this.reply = reply;
    this.warnings = warnings;
    this.markers = passages && new CitationReader(passages);
    this.waiting = waits ? "" : undefined;
  }

  /** Takes the next piece of the model's answer. */
  push(next: string): void {
    this.begun = true;
    if (this.reply.streams) {
      this.write(this.cited(this.echo.push(next)));
    }
  }

  /** Lets through what has waited, and what follows. */
  release(): void {
    const text = this.waiting ?? "";
    this.waiting = undefined;
    this.warnings.speak(text);
  }

  /**
   * Writes what is not written yet.
   *
   * @param words all of the model's words, also of an answer that was not completed
   */
  end(words: string): void {
    const unread = this.reply.streams ? "" : this.echo.push(words);
    const rest = this.cited(unread) + this.cited(this.echo.end()) + (this.markers?.end() ?? "");
    this.write(this.reply.streams ? rest : rest.trimEnd());
  }

  /** @throws ModelError `empty` if nothing is left of the answer, because all of it repeated the instructions */
  requireSome(): void {
    if (!this.areWritten) {
      throw new ModelError("empty");
    }
  }

  get areWritten(): boolean {
    return this.reply.parts.some(({ kind }) => kind === "words");
  }

  /** Whether they wait for the verdict. */
  get areHeldBack(): boolean {
    return this.waiting !== undefined;
  }

  private cited(text: string): string {
    return besidesAlert("citations", () => this.markers?.push(text) ?? text, text);
  }

  private write(text: string): void {
    if (this.waiting !== undefined) {
      this.waiting += text;
    } else if (text !== "") {
      this.warnings.speak(text);
    }
  }
}
