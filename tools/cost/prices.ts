/**
 * List prices of us-east-1 in dollars, without free tiers, from each service's pricing page
 * (`aws.amazon.com/<service>/pricing`), retrieved on 2026-11-21.
 */
export const PRICES = {
  lambdaGbSecond: 0.0000133334, // arm64
  lambdaMillionRequests: 0.2,
  gatewayMillionRequests: 3.5,
  databaseMillionWrites: 0.625,
  databaseMillionReads: 0.125,
  databaseGbMonth: 0.45, // $0.25 for storage, $0.20 for point-in-time recovery
  backupGbMonth: 0.1,
  transferToRegionGb: 0.02,
  secretMonth: 0.4,
  secretTenThousandReads: 0.05,
  keyMonth: 1,
  rotatedKeyMonth: 2, // in addition, from the second rotation on: $1 for each of the first two
  keyTenThousandRequests: 0.03,
  logGb: 0.5,
  logStorageGbMonth: 0.03, // of what is left after compression
  logQueryGb: 0.005,
  metricMonth: 0.3,
  dashboardMonth: 3,
  alarmMetricMonth: 0.1,
  compositeAlarmMonth: 0.5,
  firewallMonth: 5,
  firewallRuleMonth: 1,
  firewallMillionRequests: 0.6,
  transferGb: 0.09,
};

/** The usage of a chat, as measured by `npm run bench` (docs/performance.md). A thread has ten turns. */
export const USAGE = {
  turnsPerThread: 10,
  chatSeconds: 4.1, // 4 s of which are the model's
  createThreadSeconds: 0.1,
  sweepSeconds: 0.4, // 0.2 to find nothing due, 0.1 for a group of threads, 0.1 of cold start
  sweepsPerMonth: 5 * 4_380, // in five parts
  sweepLookups: 8, // of half a read unit
  writesPerChat: 6.2,
  readsPerChat: 5,
  writesPerNewThread: 3,
  readsPerNewThread: 1,
  writesPerSweptThread: 30, // 3 of them to find that no webhook wants the event
  readsPerSweptThread: 4.5,
  // A run that finds nothing due takes 15 ms of processor time (5 of its own, 10 to connect to the database ten times),
  // which is 100 ms at its share of a processor, and waits for the database once. One for a new event that no webhook
  // wants takes less.
  deliverySeconds: 0.12,
  deliveriesPerMonth: 43_800, // every minute
  deliveryLookups: 10, // of half a read unit
  feedbackShare: 0.05, // of all answers
  feedbackSeconds: 0.2, // twice that of a new thread, with half of its memory
  writesPerFeedback: 12, // 3 of them to find that no webhook wants the event
  readsPerFeedback: 4,
  // The function's request and metric lines (1,100), Lambda's start and report (470), the gateway's access log (420),
  // and 26 more that CloudWatch bills for each of the five lines.
  logBytesPerChat: 2_200,
  transferBytesPerChat: 8_700,
  secretReadsPerMonth: 5 * 43_800, // 5 environments read the API keys once a minute
  secretsPerChat: 1.1, // and the model's key a tenth as often
  patientBytes: 2_500, // with the lock of the phone number and the indexes
  suspectedShare: 0.05, // of harmless messages (docs/safety.md)
  questionCharacters: 170,
  answerCharacters: 810,
};

/** Prompts of fewer tokens are not cached (OpenAI, "Prompt caching"). */
export const LEAST_CACHED_TOKENS = 1_024;

/** The number of values of each dimension, with one model. */
export const VALUES: Record<string, number> = {
  error: 3,
  kind: 3,
  quota: 4,
  reason: 2,
  outcome: 3,
  model: 1,
  level: 1,
  by: 1,
  told: 2,
  instructions: 1,
};

/**
 * Metrics with a value in every hour of a month with traffic. CloudWatch bills a metric for the hours in which it has
 * one.
 */
export const STEADY = [
  ...["ModelLatency", "InputTokens", "CachedInputTokens", "OutputTokens"],
  ...["ThreadIdTries", "SweptThreads", "SweepCompleted", "SweepLag"],
];

/** The share of hours in which the other metrics, of failures, rejections and alerts, have a value. */
export const OCCASIONAL_SHARE = 0.1;
