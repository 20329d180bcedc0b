/** A setting is wrong; the message is one sentence that says what it must be. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}
