import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** Database calls and the capacity they consumed. */
export interface DatabaseUsage {
  calls: number;
  /** Sequential calls: those in progress at the same time count as one. */
  trips: number;
  /**
   * Capacity units as DynamoDB reports them, including indexes. DynamoDB reports none for a canceled transaction, but
   * bills them.
   */
  readUnits: number;
  writeUnits: number;
  /** The part of `writeUnits` that was spent on indexes. */
  indexWriteUnits: number;
}

interface Call {
  start: number;
  end: number;
}

interface Capacity {
  CapacityUnits?: number;
  GlobalSecondaryIndexes?: Record<string, { CapacityUnits?: number }>;
}

/** Operations that write; DynamoDB's report distinguishes reads from writes only for transactions. */
const WRITES = /^(Put|Update|Delete|BatchWrite|TransactWrite)/;

/**
 * Watches a client: requests the consumed capacity with each of its calls, which the service itself does not do, and
 * records which calls overlap.
 *
 * @returns a function that returns the usage since its last call
 */
export function watchDatabase(client: DynamoDBDocumentClient): () => DatabaseUsage {
  let calls: Call[] = [];
  let units = noUnits();
  let clock = 0; // counts starts and ends: a call that starts after another's end is a separate trip
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const call = { start: clock++, end: Number.POSITIVE_INFINITY };
        calls.push(call);
        try {
          const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "INDEXES" } });
          const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Capacity | Capacity[] };
          for (const capacity of [ConsumedCapacity].flat()) {
            add(capacity, WRITES.test(commandName), units);
          }
          return result;
        } finally {
          call.end = clock++;
        }
      },
    { step: "initialize", name: "watchDatabase" },
  );
  return () => {
    const usage = { calls: calls.length, trips: longestChain(calls), ...units };
    calls = [];
    units = noUnits();
    return usage;
  };
}

function noUnits() {
  return { readUnits: 0, writeUnits: 0, indexWriteUnits: 0 };
}

function add(capacity: Capacity, isWrite: boolean, units: ReturnType<typeof noUnits>): void {
  if (!isWrite) {
    units.readUnits += capacity.CapacityUnits ?? 0;
    return;
  }
  units.writeUnits += capacity.CapacityUnits ?? 0;
  for (const index of Object.values(capacity.GlobalSecondaryIndexes ?? {})) {
    units.indexWriteUnits += index.CapacityUnits ?? 0;
  }
}

/** Returns the length of the longest sequence of calls in which each starts after the previous one has ended. */
function longestChain(calls: Call[]): number {
  let chain = 0;
  let last = -1;
  for (const { start, end } of calls.toSorted((a, b) => a.end - b.end)) {
    if (start > last) {
      chain++;
      last = end;
    }
  }
  return chain;
}
