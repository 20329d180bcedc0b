import type { FeedbackRequest, HealthAssistantClient, ThreadMessage } from "../../../packages/client/client.js";
import { button, create, icon } from "./elements.ts";
import { feedbackOn, keepFeedbackOn } from "./session.ts";
import { say } from "./speech.ts";

type Feedback = Omit<FeedbackRequest, "comment">;
type Rating = Feedback["rating"];
type Reason = NonNullable<Feedback["reasons"]>[number];

const REASONS: Record<Reason, string> = {
  incorrect: "Incorrect",
  unsafe: "Unsafe",
  unclear: "Unclear",
  "not-helpful": "Not helpful",
  "not-about-me": "Not about me",
  "too-long": "Too long",
  other: "Something else",
};

/** The service's limit, in UTF-16 code units. */
const COMMENT_LENGTH = 2_000;

const WRITTEN_BY = { ai: "Written by AI", service: "Fixed text of the service" };

/** The offline model of `npm start` (`local/offline-model.ts`), which is no AI. */
const DEMONSTRATION = "scripted-demonstration";

interface FooterParts {
  clientOf: () => HealthAssistantClient | undefined;
  threadId: string;
  message: Pick<ThreadMessage, "id" | "generatedBy" | "model">;
  /** Called when feedback could not be stored or withdrawn. */
  onFailure: (error: unknown) => void;
}

/** What stands below an answer: thumbs, what is wrong with an answer that is bad, and who wrote it. */
export class AnswerFooter {
  readonly element: HTMLElement;
  private readonly parts: FooterParts;
  private readonly thumbs: Record<Rating, HTMLButtonElement>;
  private readonly details = create("details", "reasons");
  private readonly summary = create("summary");
  private readonly comment = create("textarea");
  private readonly boxes = Object.entries(REASONS).map(([reason, label]) => {
    const box = create("input");
    box.type = "checkbox";
    box.value = reason;
    return { reason: reason as Reason, box, label: create("label", "", box, label) };
  });
  private rating: Rating | undefined;
  private isBusy = false;

  constructor(parts: FooterParts) {
    this.parts = parts;
    this.thumbs = { good: this.thumb("good"), bad: this.thumb("bad") };
    this.details.append(this.summary, this.form());
    const { id } = parts.message;
    const mark = create("span", "muted", writtenBy(parts.message));
    this.element = create("div", "", create("div", "thumbs", this.thumbs.good, this.thumbs.bad, mark));
    this.show(feedbackOn(parts.threadId)[id]);
  }

  private thumb(rating: Rating): HTMLButtonElement {
    const thumb = button(icon(rating), () => this.press(rating));
    thumb.setAttribute("aria-label", rating === "good" ? "Good answer" : "Bad answer");
    return thumb;
  }

  private form(): HTMLElement {
    this.comment.dir = "auto";
    this.comment.rows = 2;
    this.comment.maxLength = COMMENT_LENGTH;
    const save = create("button", "", "Save");
    save.type = "submit";
    const form = create(
      "form",
      "",
      create("fieldset", "", create("legend", "heard", "Reasons"), ...this.boxes.map(({ label }) => label)),
      create("label", "", "Comment, optional; deleted with the thread", this.comment),
      create("p", "buttons", save),
    );
    form.autocomplete = "off";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    return form;
  }

  /** Rates the answer, or withdraws the rating if it is the same. */
  private press(rating: Rating): void {
    this.send(async (client) => {
      const { threadId, message } = this.parts;
      this.comment.value = "";
      if (this.rating === rating) {
        await client.withdrawFeedback(threadId, message.id);
        this.keep(undefined);
        say("Feedback withdrawn.");
        return;
      }
      await client.giveFeedback(threadId, message.id, { rating });
      this.keep({ rating });
      this.details.open = rating === "bad";
      if (this.details.open) {
        this.showForm();
      }
      say(rating === "bad" ? "Rated as bad. You can say what is wrong." : "Rated as good.");
    });
  }

  /** The form may be below the visible part. Someone who is already typing elsewhere keeps the focus. */
  private showForm(): void {
    this.details.scrollIntoView({ block: "nearest" });
    if ([this.thumbs.bad, document.body].includes(document.activeElement as HTMLElement)) {
      this.boxes[0]?.box.focus({ preventScroll: true });
    }
  }

  private save(): void {
    this.send(async (client) => {
      const { threadId, message } = this.parts;
      const reasons = this.boxes.filter(({ box }) => box.checked).map(({ reason }) => reason);
      const comment = this.comment.value.trim();
      await client.giveFeedback(threadId, message.id, { rating: "bad", reasons, ...(comment && { comment }) });
      this.keep({ rating: "bad", reasons });
      this.details.open = false;
      this.summary.focus(); // the button that had the focus is hidden
      say("Feedback saved.");
    });
  }

  /** Until a request ends, a second one would overtake it. */
  private async send(request: (client: HealthAssistantClient) => Promise<void>): Promise<void> {
    const client = this.isBusy ? undefined : this.parts.clientOf();
    if (!client) {
      return;
    }
    this.isBusy = true;
    try {
      await request(client);
    } catch (error) {
      this.parts.onFailure(error);
    } finally {
      this.isBusy = false;
    }
  }

  /** Shows the feedback that the service has now, also after a reload. */
  private keep(feedback: Feedback | undefined): void {
    if (!this.element.isConnected) {
      return; // the conversation was closed meanwhile
    }
    const { threadId, message } = this.parts;
    const { [message.id]: _, ...others } = feedbackOn(threadId);
    keepFeedbackOn(threadId, feedback ? { ...others, [message.id]: feedback } : others);
    this.show(feedback);
  }

  private show({ rating, reasons = [] }: Partial<Feedback> = {}): void {
    this.rating = rating;
    for (const [name, thumb] of Object.entries(this.thumbs)) {
      thumb.setAttribute("aria-pressed", String(name === rating));
    }
    for (const { reason, box } of this.boxes) {
      box.checked = reasons.includes(reason);
    }
    if (rating === "bad") {
      this.element.append(this.details);
    } else {
      this.details.remove();
    }
    const names = reasons.map((reason) => REASONS[reason].toLowerCase());
    this.summary.textContent = names.length > 0 ? `Bad: ${names.join(", ")}` : "What is wrong with this answer?";
  }
}

function writtenBy({ generatedBy, model }: FooterParts["message"]): string {
  if (model === DEMONSTRATION) {
    return "Scripted demonstration answer";
  }
  return generatedBy ? WRITTEN_BY[generatedBy] : "";
}
