/** The modules whose tests are tested: name → files, or folders ending in "/", whose files are mutated. */
export const MODULES: Record<string, string[]> = {
  dynamo: ["shared/dynamo/"],
  threads: ["shared/threads/"],
  patients: ["shared/patients/"],
  chat: ["shared/chat/"],
  http: ["shared/http/"],
  auth: ["shared/auth/"],
  logger: ["shared/logger.ts"],
  answer: ["shared/model/answer.ts"],
};

/** Files without behavior: prose and data for the OpenAPI document and the model. */
export const PROSE = /(endpoints|instructions)\.ts$/;

/** The tests that are run: those that execute the modules, in Jest's process or in bundles. */
export const TESTS = /^test\/(api|contract|guards|model-based|storage|unit)\/.*\.test\.ts$/;

/**
 * Tests that are not run, because they check texts, bundle sizes or tools, or start the whole program:
 * a mutant that only one of them would kill is counted as survived.
 */
export const OTHER_TESTS = /^test\/(guards\/bundles|unit\/(bundling|client|deploy|keys|local|tools|web)\/)/;
