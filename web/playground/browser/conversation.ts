import type { ThreadMessage } from "../../../client/client.js";
import { AnswerView } from "./answer-view.ts";
import { byId, create, scrollTo } from "./elements.ts";
import { markdown } from "./markdown.ts";
import { interrupt, say } from "./speech.ts";

/** The messages of the conversation, and what the page has to say between them. */
export class Conversation {
  /** Changes when the conversation is closed: what arrives afterwards for an earlier one must not be shown. */
  generation = 0;
  private readonly log = byId("conversation");

  /** Shows what the user says. */
  addQuestion(text: string): void {
    this.append(question(text));
  }

  /** Makes place for an answer. */
  addAnswer(): AnswerView {
    const view = new AnswerView();
    this.append(view.element);
    return view;
  }

  /**
   * Puts stored messages, oldest first, above everything that is shown.
   *
   * @param footerOf what stands below an answer
   */
  addEarlier(messages: readonly ThreadMessage[], footerOf: (message: ThreadMessage) => HTMLElement): void {
    this.log.prepend(
      ...messages.map((message) => {
        const { role, content, author = "Assistant" } = message;
        if (role === "user") {
          return question(content);
        }
        const text = create("div", "text", markdown(content));
        const footer = role === "assistant" ? [create("div", "footer", footerOf(message))] : [];
        return create(
          "div",
          "message assistant",
          create("p", "speaker", author),
          create("div", "content", text),
          ...footer,
        );
      }),
    );
  }

  /** Says something that no one of the two has said; what failed is heard at once. */
  addNotice(text: string, { failure = false, action }: { failure?: boolean; action?: HTMLElement } = {}): HTMLElement {
    const notice = create(
      "div",
      failure ? "notice failure" : "notice",
      create("p", "", text),
      ...(action ? [action] : []),
    );
    this.append(notice);
    (failure ? interrupt : say)(text);
    return notice;
  }

  /** Closes the conversation. */
  clear(): void {
    this.generation++;
    this.log.replaceChildren();
  }

  private append(element: HTMLElement): void {
    this.log.append(element);
    scrollTo(element, "end");
  }
}

function question(text: string): HTMLElement {
  const content = create("div", "text", text);
  content.dir = "auto";
  return create("div", "message user", create("p", "speaker", "You"), content);
}
