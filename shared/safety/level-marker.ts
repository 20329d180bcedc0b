import { alertOf, type Category, CRISES, EMERGENCIES, type SafetyAlert } from "./alert.ts";

/** The maximum length of a marker; anything longer is text. */
const LONGEST = 80;

/** A marker anywhere, well-formed or not: `[[level: emergency stroke]]`. */
const ANYWHERE =
  /(?:\[\[\s*level\s*:[^\]\n]{0,60}(?:\]{1,2}|(?=\n)|$)|\[\s*level\s*:\s*(?:none|crisis|emergency)[^\]\n]{0,40}\])[ \t]*\n?/gi;

/** A marker at the start of an answer. A model may write it in bold or forget the brackets. */
const OPENING =
  /^[\s*_`#>]*(?:\[{1,2}\s*level\s*:\s*(?<level>none|crisis|emergency)\b[\s,;:/-]*(?<category>[a-z-]*)\s*\]{1,2}|level\s*:\s*(?<bare>none|crisis|emergency)[ \t]*(?=\n|$))[*_`]*\s*/i;

/** An incomplete marker at the start of the answer, and one in the text. */
const MAY_OPEN = /^[\s*_`#>]*(?:\[{0,2}\s*|\[{0,2}\s*l(?:e(?:v(?:e(?:l[^\]\n]*(?:\]{1,2}[*_`]*[ \t]*)?)?)?)?)?)$/i;
const MAY_FOLLOW = /\[{1,2}\s*(?:l(?:e(?:v(?:e(?:l(?:\s*|\s*:[^\]\n]{0,60}\]?))?)?)?)?)?$/i;

/**
 * Removes the level marker from an answer that arrives in pieces. The model is asked to begin with one
 * (`shared/chat/instructions.ts`); it is only for the service, and nobody else sees it, wherever it appears. Only a
 * marker at the beginning of an answer counts; a missing or malformed one is no verdict.
 */
export class LevelMarker {
  private held = "";
  private opened = false;
  private readonly onAlert: (alert: SafetyAlert, named: boolean) => void;
  private readonly onNone: () => void;

  /**
   * @param onAlert receives the model's verdict before any text after it, if it is an alert; `named` is whether the model
   *   named the category, which is otherwise a default
   * @param onNone called instead if the verdict is that nobody is in danger
   */
  constructor(onAlert: (alert: SafetyAlert, named: boolean) => void, onNone: () => void = () => {}) {
    this.onAlert = onAlert;
    this.onNone = onNone;
  }

  /** Takes the next piece and returns the text that cannot be part of a marker. */
  push(piece: string): string {
    this.held += piece;
    if (!this.opened) {
      if (this.held.length < LONGEST && MAY_OPEN.test(this.held)) {
        return "";
      }
      this.open();
    }
    const start = this.held.slice(-LONGEST).search(MAY_FOLLOW);
    const certain = start < 0 ? this.held.length : Math.max(0, this.held.length - LONGEST) + start;
    return this.release(certain);
  }

  /** Returns the text held back until the end. */
  end(): string {
    if (!this.opened) {
      this.open();
    }
    return this.release(this.held.length);
  }

  private open(): void {
    this.opened = true;
    const found = OPENING.exec(this.held);
    if (!found) {
      return;
    }
    this.held = this.held.slice(found[0].length);
    const { level = "", bare = "", category = "" } = found.groups ?? {};
    const alert = opinion((level || bare).toLowerCase(), category.toLowerCase());
    if (alert) {
      this.onAlert(alert, alert.category === category.toLowerCase());
    } else {
      this.onNone();
    }
  }

  private release(length: number): string {
    const text = this.held.slice(0, length).replace(ANYWHERE, "");
    this.held = this.held.slice(length);
    return text;
  }
}

function opinion(level: string, category: string): SafetyAlert | undefined {
  if (level === "emergency") {
    return alertOf(named(category, EMERGENCIES) ?? "other");
  }
  if (level === "crisis") {
    return alertOf(named(category, CRISES) ?? "suicidal-thoughts");
  }
  return undefined;
}

function named<C extends Category>(category: string, among: readonly C[]): C | undefined {
  return among.find((candidate) => candidate === category);
}
