/**
 * Sets the environment variables of the help lines, as the template does, for tests that call `shared/chat` in-process.
 */
Object.assign(process.env, {
  EMERGENCY_NUMBER: "911",
  CRISIS_LINE: "988",
  POISON_CONTROL: "1-800-222-1222",
  ABUSE_LINE: "1-800-799-7233",
});
