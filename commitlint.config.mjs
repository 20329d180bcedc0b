/** Conventional Commits, where bodies are prose and subjects may begin with a name. */
export default {
  extends: ["@commitlint/config-conventional"],
  rules: { "body-max-line-length": [0], "footer-max-line-length": [0], "subject-case": [0] },
};
