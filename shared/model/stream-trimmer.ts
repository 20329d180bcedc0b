/**
 * Trims a text that arrives in pieces: at any time, the output is the beginning of the trimmed text. A piece may end in
 * the middle of a character; its first half is held back until the second arrives.
 */
export class StreamTrimmer {
  private readonly onText: (text: string) => void;
  private passed = "";
  private waiting = "";

  constructor(onText: (text: string) => void) {
    this.onText = onText;
  }

  /** What has been passed on. */
  get text(): string {
    return this.passed;
  }

  /** Takes the next piece. */
  push(piece: string): void {
    this.waiting += piece;
    if (this.passed !== "" && piece.trim() === "") {
      return; // nothing to pass on yet; trimming the whole buffer for each such piece would take quadratic time
    }
    if (this.passed === "") {
      this.waiting = this.waiting.trimStart();
    }
    const end = this.waiting.trimEnd().length;
    const whole = isHighSurrogate(this.waiting.charCodeAt(end - 1)) ? end - 1 : end;
    if (whole > 0) {
      this.emit(this.waiting.slice(0, whole));
      this.waiting = this.waiting.slice(whole);
    }
  }

  /** @returns the whole trimmed text, after passing on the rest */
  end(): string {
    const rest = this.waiting.trimEnd();
    if (rest !== "") {
      this.emit(rest);
    }
    this.waiting = "";
    return this.passed;
  }

  private emit(text: string): void {
    const wellFormed = text.toWellFormed();
    this.passed += wellFormed;
    this.onText(wellFormed);
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
