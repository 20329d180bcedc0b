/** The tests of one part of the service, as patterns of paths. */
interface Tests {
  /** Run in Jest's own process, in seconds. */
  quick: string;
  /** Start the service, in a minute or two. */
  whole: string;
}

const SAFETY: Tests = {
  quick: "(packages/safety/test/[^/]+$|test/unit/chat/warnings)",
  whole:
    "(packages/safety/test/long/(frames|metamorphic|misspelled|put-aside)|test/(api/(cautions|chat-safety)|long/findings))",
};

/** Directories whose files are mutated, and the tests that should notice it. */
export const NEAREST: Record<string, Tests> = {
  "shared/fhir": {
    quick: "test/(unit/(fhir|patients)/|long/every-leaf)",
    whole: "test/(api/fhir|long/fhir-(files|limits|mutations))",
  },
  "shared/sources": {
    quick: "test/(unit|storage)/sources",
    whole: "test/(api/sources|long/(sources-sync|text-fields))",
  },
  "shared/chat": {
    quick: "test/(unit/(chat|model)/|storage/(bound-patients|chat-time|handoff|idempotent-chats|unscreened-chats))",
    whole:
      "test/(api/(ai-mark|answer-parts|cautions|chat|consent|context-budget|cut-answers|handoff|openai|patient-of|privacy|prompt|stop-turn)|long/(model-(deadlines|failures)|random-clients|rude-|unmarked|without-model))",
  },
  "shared/events": {
    quick: "test/(unit/events/|storage/(receiver-pauses|webhook-state))",
    whole: "test/(api/webhooks|long/(bad-receivers|delivery-chaos|event-delivery|webhook-receivers))",
  },
  "shared/model": {
    quick: "test/(unit/(model|chat)/|long/ends-anywhere)",
    whole:
      "test/(api/(chat-stream|chat.test|cut-answers|fallback-model|metrics|openai|prompt)|long/(bedrock|model-(deadlines|failures|server)|random-models|rude-|unmarked))",
  },
  "packages/safety": SAFETY,
  "packages/safety/screening": SAFETY,
  "packages/safety/cautions": SAFETY,
  "packages/safety/texts": SAFETY,
  "packages/safety/words": SAFETY,
  local: {
    quick: "test/unit/local/",
    whole:
      "test/(api/(other-sites|playground)|long/(without-model|command-line|connections|expiry|keys|local-model|other-platforms|restart|start)\\.)",
  },
  "packages/lambda-local": {
    quick: "packages/lambda-local/test/[^/]+$",
    whole:
      "(packages/lambda-local/test/long/|test/(unit/local/|api/(body-encodings|methods|other-sites|request-id)|long/(connections|expiry|other-platforms|restart|start)\\.))",
  },
};
