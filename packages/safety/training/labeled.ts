import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";

/** Everything the screen learns from and is measured on. */
export const CORPUS = join(import.meta.dirname, "corpus");

const FOLDER = join(CORPUS, "labeled");

/** One labeled message. corpus/README.md describes the fields. */
export interface Labeled {
  text: string;
  level: "none" | "crisis" | "emergency";
  category: string;
  /** Of messages that others labeled: what a nurse would advise, such as `calm`, `soon` or `alert`. */
  label?: string | undefined;
}

/** A labeled conversation. Its level is that of the whole conversation. */
export interface LabeledConversation extends Pick<Labeled, "level" | "category"> {
  turns: Turn[];
}

interface Turn {
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

/** The files of labeled messages at a path: itself, or those of a directory. */
export function filesAt(path: string): string[] {
  return statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.endsWith(".jsonl") && name !== "interactions.jsonl")
        .map((name) => join(path, name))
    : [path];
}

/**
 * Reads a file of labeled messages or conversations.
 *
 * @param path JSON lines, as described in corpus/README.md
 * @throws Error if a line is neither a message nor a conversation
 */
export function readSource(path: string): Source {
  const name = basename(path, extname(path));
  const source: Source = { name, messages: [], conversations: [] };
  for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
    if (line.trim() === "") {
      continue;
    }
    const { text, turns, level, category = "ordinary", label } = JSON.parse(line);
    if (Array.isArray(turns)) {
      source.conversations.push({ level, category, turns });
    } else if (typeof text === "string" && typeof level === "string") {
      source.messages.push({ text, level: level as Labeled["level"], category, label });
    } else {
      throw new Error(`${name}, line ${index + 1}: neither a labeled message nor a conversation.`);
    }
  }
  return source;
}
