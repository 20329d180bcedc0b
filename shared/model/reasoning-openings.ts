/** Words with which models begin to talk to themselves, and what follows them. */
const FILLERS = ["okay", "ok", "alright", "all right", "so", "well", "now", "right", "good", "got it", "great"];
const SUBJECTS = ["so", "the user", "let", "i need", "i should", "this", "we", "they", "here"];

/**
 * How models begin their reasoning: they talk about the user, or to themselves, where an answer talks to the user. In
 * lower case, with plain apostrophes.
 */
const OPENINGS = [
  ...FILLERS.flatMap((filler) =>
    SUBJECTS.flatMap((subject) => [", ", ". ", " "].map((pause) => filler + pause + subject)),
  ),
  ...["hmm", "hm,", "wait,", "the user", "this user", "user ", "user's", "the person is ask", "the question"],
  ...["the message", "we need to", "we have ", "we are ask", "we're ask", "we should", "we must", "we can", "we know"],
  ...["i need to", "i should", "i have to", "i must", "i'm being ask", "i am being ask", "i'll start by"],
  ...["let me", "let's", "first, i", "first, let", "first, the user", "first, we", "my task", "the task"],
  ...["thinking", "thought", "analyzing", "analysis:", "analyze", "reasoning:", "looking at the", "considering"],
  ...["1. analyze", "1. **analyze", "here's a thinking process", "here is a thinking process"],
  ...["嗯", "好的，用户", "好，用户", "好的，我", "首先，用户", "首先，我", "用户", "我需要", "我们需要", "让我"],
];

/** Harmony without its control tokens: the name of a channel and the first word, joined. */
const BARE_HARMONY = /^(?:analysis|commentary)(?=["“A-Z])/;

/** How many characters of a text tell whether it may be reasoning. */
export const BEGINNING = 40;

/**
 * Tells from its beginning whether a text may be reasoning.
 *
 * @returns `unclear` if more of the text is needed
 */
export function beginsLikeReasoning(text: string): "yes" | "no" | "unclear" {
  const beginning = text.trimStart().slice(0, BEGINNING);
  const folded = beginning.toLowerCase().replaceAll("’", "'");
  if (BARE_HARMONY.test(beginning) || OPENINGS.some((opening) => folded.startsWith(opening))) {
    return "yes";
  }
  return [...OPENINGS, "analysis", "commentary"].some((opening) => opening.startsWith(folded)) ? "unclear" : "no";
}

/**
 * The names of models whose chat templates begin the reasoning in the prompt: DeepSeek R1, QwQ, Magistral, and the
 * variants of Qwen, GLM, Kimi, Phi, Olmo and others that are named after it.
 */
const REASONERS = /(?:^|[^a-z])(?:r1|qwq|think|thinking|thinker|reason|reasoner|reasoning|magistral)(?:[^a-z]|$)/i;

/** Whether a model has reasoned without a mark at the beginning, by its name: what this process has seen of it. */
const seen = new Map<string, boolean>();

/**
 * Whether a model may reason without a mark at the beginning: by its name, or because it did so, or because this
 * process has not seen a complete answer of it yet.
 */
export function reasonsUnmarked(name: string): boolean {
  return REASONERS.test(name) || (seen.get(name) ?? true);
}

/**
 * Remembers in this process whether a complete answer had reasoning without a mark; one that had is enough. Structured
 * output is none: it leaves no room for reasoning.
 */
export function noteAnswer(name: string, hasUnmarked: boolean): void {
  seen.set(name, hasUnmarked || seen.get(name) === true);
}
