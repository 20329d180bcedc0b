import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";

/** Everything the screen learns from and is measured on. */
export const CORPUS = join(import.meta.dirname, "corpus");

const FOLDER = join(CORPUS, "labeled");

/** One labeled message. corpus/README.md describes the fields. */
export interface Labeled {
  text: string;
  level: "none" | "crisis" | "emergency";
  category: string;
}

/** A labeled conversation. Its level is that of the whole conversation. */
export interface LabeledConversation extends Pick<Labeled, "level" | "category"> {
  turns: Turn[];
}

export interface Turn {
  role: "user" | "assistant";
  content: string;
  /** The first user turn at which the danger can be recognized. */
  danger?: true;
}

/** The contents of one file. */
export interface Source {
  name: string;
  messages: Labeled[];
  conversations: LabeledConversation[];
}

/** All sources that the screen is trained on, in a fixed order. */
export function trainingSources(): Source[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".jsonl"))
    .toSorted()
    .map((file) => readSource(join(FOLDER, file)));
}

/**
 * Reads a file of labeled messages or conversations.
 *
 * @param path JSON lines or, with the extension `.txt`, the text format described in corpus/README.md
 * @throws Error if a line is neither a message nor a conversation
 */
export function readSource(path: string): Source {
  const lines = readFileSync(path, "utf8").split("\n");
  const name = basename(path).replace(/\.\w+$/, "");
  return extname(path) === ".txt" ? parseText(name, lines) : parseJsonLines(name, lines);
}

function parseJsonLines(name: string, lines: string[]): Source {
  const source: Source = { name, messages: [], conversations: [] };
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") {
      continue;
    }
    const { text, turns, level, category = "ordinary" } = JSON.parse(line);
    if (Array.isArray(turns)) {
      source.conversations.push({ level, category, turns });
    } else if (typeof text === "string" && typeof level === "string") {
      source.messages.push({ text, level: level as Labeled["level"], category });
    } else {
      throw new Error(`${name}, line ${index + 1}: neither a labeled message nor a conversation.`);
    }
  }
  return source;
}

function parseText(name: string, lines: string[]): Source {
  const source: Source = { name, messages: [], conversations: [] };
  let section: { isConversation: boolean; level: Labeled["level"]; category: string } | undefined;
  let turns: Turn[] | undefined;
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    const heading = line.match(/^## (conversation )?(none|crisis|emergency) ([a-z-]+)(?: \S+)?$/);
    if (heading) {
      const [, conversation, level, category = ""] = heading;
      section = { isConversation: conversation !== undefined, level: level as Labeled["level"], category };
      turns = undefined;
    } else if (line === "") {
      turns = undefined;
    } else if (section === undefined) {
      throw new Error(`${name}, line ${index + 1}: a message before the first heading.`);
    } else if (section.isConversation) {
      if (turns === undefined) {
        turns = [];
        source.conversations.push({ level: section.level, category: section.category, turns });
      }
      turns.push(parseTurn(line, `${name}, line ${index + 1}`));
    } else {
      const { level, category } = section;
      source.messages.push({ text: line.replaceAll("\\n", "\n"), level, category });
    }
  }
  return source;
}

function parseTurn(line: string, place: string): Turn {
  const [, role, danger, content] = line.match(/^(user|assistant)(!?):\s*(.*)$/) ?? [];
  if (role === undefined || content === undefined) {
    throw new Error(`${place}: a turn starts with "user:", "user!:" or "assistant:".`);
  }
  const turn = { role: role as Turn["role"], content: content.replaceAll("\\n", "\n") };
  return danger ? { ...turn, danger: true } : turn;
}
