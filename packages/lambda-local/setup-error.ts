/** Error thrown for a problem with a setting or this machine; the message is one sentence that says what to do. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
