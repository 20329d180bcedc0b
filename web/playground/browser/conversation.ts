import type { AnswerPart, ThreadMessage } from "../../../packages/client/client.js";
import { AnswerView, alertBox, isProminent, safetyLine } from "./answer-view.ts";
import { addCitations } from "./citations.ts";
import { byId, create, icon } from "./elements.ts";
import { markdown } from "./markdown.ts";
import { follow, scrollTo } from "./scrolling.ts";
import { interrupt, say } from "./speech.ts";

const SPEAKERS = { user: "Patient", assistant: "Assistant", person: "A person" };

interface NoticeOptions {
  failure?: boolean;
  /** What can be done about it. */
  action?: HTMLElement;
  /** What it is about; at the end of the conversation otherwise. */
  after?: HTMLElement;
}

/** The messages of the conversation, and what the page has to say between them. */
export class Conversation {
  /** Changes when the conversation is closed: what arrives afterwards for an earlier one must not be shown. */
  generation = 0;
  private readonly log = byId("conversation");

  /** Shows what the user says. */
  addQuestion(text: string): HTMLElement {
    return this.append(question(text));
  }

  /** Shows what the person writes who has taken over. */
  addPersonMessage(message: ThreadMessage): void {
    this.append(personMessage(message));
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
    this.log.prepend(...messages.map((message) => stored(message, footerOf)));
  }

  /** Adds messages that were stored elsewhere, oldest first. */
  addLater(messages: readonly ThreadMessage[], footerOf: (message: ThreadMessage) => HTMLElement): void {
    for (const message of messages) {
      const element = stored(message, footerOf);
      this.log.append(element);
      follow(element);
      say(`${message.author ?? SPEAKERS[message.role]}: ${message.content}`);
    }
  }

  /** Says something that no one of the two has said; what failed is heard at once. */
  addNotice(text: string, { failure = false, action, after }: NoticeOptions = {}): HTMLElement {
    const notice = create(
      "div",
      failure ? "notice failure" : "notice",
      create("p", "", text),
      ...(action ? [action] : []),
    );
    this.append(notice, after);
    (failure ? interrupt : say)(text);
    return notice;
  }

  /** Closes the conversation. */
  clear(): void {
    this.generation++;
    this.log.replaceChildren();
  }

  private append(element: HTMLElement, after?: HTMLElement): HTMLElement {
    if (after?.isConnected) {
      after.after(element);
    } else {
      this.log.append(element);
    }
    scrollTo(element, "end");
    return element;
  }
}

function stored(message: ThreadMessage, footerOf: (message: ThreadMessage) => HTMLElement): HTMLElement {
  if (message.role === "user") {
    return question(message.content);
  }
  if (message.role === "person") {
    return personMessage(message);
  }
  return create(
    "div",
    "message assistant",
    create("p", "speaker", SPEAKERS.assistant),
    answerContent(message.parts ?? []),
    create("div", "footer", ...(message.safety ? [safetyLine(message.safety)] : []), footerOf(message)),
  );
}

function answerContent(parts: readonly AnswerPart[]): HTMLElement {
  const content = create("div", "content", ...parts.filter(({ kind }) => kind !== "sources").map(shownPart));
  const citations = parts.flatMap((part) => (part.kind === "sources" ? part.citations : []));
  addCitations(citations, content);
  return content;
}

function shownPart(part: AnswerPart): HTMLElement {
  return isProminent(part) ? alertBox(part) : create("div", "text", markdown(part.text));
}

function question(text: string): HTMLElement {
  return create("div", "message user", create("p", "speaker", SPEAKERS.user), words(text));
}

function personMessage({ author = "", content }: ThreadMessage): HTMLElement {
  const speaker = create("p", "speaker", icon("person"), create("bdi", "", author), create("span", "", "a person"));
  return create("div", "message person", speaker, words(content));
}

function words(text: string): HTMLElement {
  const element = create("div", "text", text);
  element.dir = "auto";
  return element;
}
