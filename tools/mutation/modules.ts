/** Modules whose tests are tested, and the tests that concern each. */
export interface Module {
  name: string;
  /** Files, or folders ending in "/", whose files are mutated. */
  sources: string[];
  /** Tests that run the module's source in their own process, as patterns of paths: seconds. */
  inProcess: string[];
  /** Tests that run it bundled, in the local service: asked only about a mutant that the others let live. */
  bundled: string[];
}

export const MODULES: Module[] = [
  {
    name: "dynamo",
    sources: ["shared/dynamo/"],
    inProcess: ["test/storage/"],
    bundled: ["test/api/chat(-concurrency|-idempotency)?\\.test", "test/api/(create-patient|delete-thread)\\.test"],
  },
  {
    name: "threads",
    sources: ["shared/threads/"],
    inProcess: [
      "test/storage/(bound|every-write|idempoten|sweep|thread)",
      "test/unit/threads/",
      "test/guards/(database|sweep)\\.test",
    ],
    bundled: [
      "test/api/(create|get|delete)-thread\\.test",
      "test/api/chat(-concurrency|-idempotency)?\\.test",
      "test/api/(bad-input|metrics|openapi|audit)\\.test",
      "test/storage/random-faults\\.test",
      "test/model-based/",
    ],
  },
  {
    name: "patients",
    sources: ["shared/patients/"],
    inProcess: ["test/storage/patient", "test/unit/patients/", "test/unit/chat/prompt", "test/guards/database\\.test"],
    bundled: [
      "test/api/(create-patient|get-patient|create-thread)\\.test",
      "test/api/chat\\.test",
      "test/api/(bad-input|openapi|audit|privacy)\\.test",
    ],
  },
  {
    name: "chat",
    sources: ["shared/chat/"],
    inProcess: ["test/unit/chat/", "test/guards/(database|prompt-size)\\.test"],
    bundled: [
      "test/api/chat.*\\.test",
      "test/api/(context-budget|create-thread|fallback-model|metrics|openapi|audit)\\.test",
    ],
  },
  {
    name: "http",
    sources: ["shared/http/"],
    inProcess: ["test/unit/http/", "test/unit/failure-kind"],
    bundled: [
      "test/api/(authentication|bad-input|request-id|metrics|openapi|docs|playground|privacy|audit)\\.test",
      "test/api/chat(-stream|-idempotency|-model-failures)?\\.test",
      "test/api/get-patient\\.test",
    ],
  },
  {
    name: "auth",
    sources: ["shared/auth/"],
    inProcess: ["test/unit/auth/"],
    bundled: ["test/api/(authentication|keys|audit|chat-idempotency)\\.test"],
  },
  {
    name: "logger",
    sources: ["shared/logger.ts"],
    inProcess: ["test/unit/errors-and-logger"],
    bundled: ["test/api/(privacy|metrics|request-id|audit|chat-model-failures|chat)\\.test"],
  },
  {
    name: "answer",
    sources: ["shared/model/answer.ts"],
    inProcess: ["test/unit/model/"],
    bundled: [
      "test/guards/model-connection\\.test",
      "test/api/(fallback-model|model-deadlines|model-failures-by-name|metrics|context-budget)\\.test",
      "test/api/chat(-model-failures|-stream|-safety)?\\.test",
    ],
  },
];

/** Files that say something and do nothing: prose and data for the OpenAPI document and the model. */
export const PROSE = /\/(endpoints|instructions)\.ts$/;
