/** Error thrown when a setting is invalid. The message is one sentence that says what the setting must be. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}
