/** Where in its line, and in which code, a text that arrives in pieces has got to. */
export class TextPlace {
  private line = "";
  private inFence = false;

  note(text: string): void {
    const [first = "", ...others] = text.split("\n");
    this.line += first;
    for (const next of others) {
      this.inFence = FENCE.test(this.line) ? !this.inFence : this.inFence;
      this.line = next;
    }
  }

  /** Whether the next character is between marks of code. */
  get inCode(): boolean {
    return this.inFence || (this.line.split("`").length - 1) % 2 > 0;
  }

  /** Whether nothing but Markdown is before it in its line. */
  get beginsLine(): boolean {
    return /^[\s*_#>]*$/.test(this.line);
  }

  /** Whether it is in the middle of a sentence, after a space. */
  get afterWord(): boolean {
    return /[^\s.!?…。！？:)\]>*]\s+$/.test(this.line);
  }

  /** Whether it follows a quotation mark. */
  get quoted(): boolean {
    return /["'“‘«]$/.test(this.line);
  }
}

const FENCE = /^\s*```/;
