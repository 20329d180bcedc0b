/** How to run a program. */
export interface Program {
  command: string;
  args: string[];
}

/** A generator, or something else that reads the document. */
export interface Generator {
  name: string;
  /** The steps that the program with the generated client takes; none for what only checks or converts the document. */
  steps: readonly string[];
  /**
   * Generates from the document, in an empty folder.
   *
   * @returns compiles what was generated and returns the program; nothing for what only checks the document
   */
  build(document: string, folder: string): Promise<(() => Promise<Program | undefined>) | undefined>;
}

/**
 * The steps of a program with a generated client that offers what the service does: it creates and reads a patient,
 * repeats a request with an idempotency key, chats, streams, lists messages and threads, corrects with `If-Match`, and so on.
 */
export const ALL_STEPS =
  "patient repeat chat stream lists 412 search export feedback handoff webhook completion 409 404 erase".split(" ");

/** The steps that most integrations need. */
export const MAIN_STEPS = "patient chat stream lists 409 404 erase".split(" ");

/** The same, for a client that reads every response to its end before it returns. */
export const STEPS_WITHOUT_STREAM = MAIN_STEPS.filter((step) => step !== "stream");
