import fc from "fast-check";
import {
  boundThreads,
  chatAlone,
  chatOnThread,
  chatTogether,
  chatWithKey,
  failWithKey,
  hangUp,
  keyedRequests,
  loseConnection,
  nameOtherPatient,
  repeatKey,
  talk,
} from "./chats.ts";
import {
  changePhone,
  correctPatient,
  createPatient,
  createPatientAgain,
  erasePatient,
  exportPatient,
  getPatient,
  listThreads,
  patientsOf,
  registerShared,
  searchPatient,
} from "./patients.ts";
import {
  createThread,
  deleteThread,
  getThread,
  goneThreads,
  type Link,
  openThreads,
  patientsOrNone,
  readMessages,
  refusals,
  refused,
  shareThread,
  threadsInUse,
  visitGone,
} from "./threads.ts";
import type { Client } from "./world.ts";

/** The places for a tenant's shared threads. */
const PLACES = [0, 1, 2];
/** The numbers of the phone numbers that all try to register. */
export const PHONES = [0, 1];

/**
 * A command on one of several subjects, such as the client's threads; it is left out while there are none.
 *
 * @param weight how often it is chosen, relative to the others
 * @param subjects what it may be about
 * @param args what else it is given, at random
 */
function on<S, A extends unknown[]>(
  weight: number,
  subjects: (client: Client) => readonly S[],
  run: (subject: S, client: Client, ...args: A) => Promise<void>,
  args: fc.Arbitrary<A>,
): fc.WeightedArbitrary<fc.AsyncCommand<Client, undefined, true>> {
  const arbitrary = fc.tuple(fc.nat(100), args).map(([which, chosen]) => ({
    check: async (client: Client) => subjects(client).length > 0,
    run: async (client: Client) => {
      const all = subjects(client);
      await run(all[which % all.length] as S, client, ...chosen);
    },
    toString: () => `${run.name}(${[which, ...chosen].map((value) => fc.stringify(value)).join(", ")})`,
  }));
  return { weight, arbitrary };
}

/** One of all commands, the more important ones more often. */
export function anyCommand(): fc.Arbitrary<fc.AsyncCommand<Client, undefined, true>> {
  const nothing = fc.tuple();
  const way = fc.nat(20);
  const flag = fc.boolean();
  const limit = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(100));
  const mostly = <T, O>(weight: number, usual: T, ...others: O[]) =>
    fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
  const chatOptions = fc.record({
    streamed: flag,
    fate: mostly(8, "answered" as const, "refused" as const, "cut" as const),
    named: mostly(4, "no" as const, "id" as const, "phone" as const),
  });
  const turns = fc.oneof(
    { weight: 12, arbitrary: fc.nat(30) },
    { weight: 1, arbitrary: fc.integer({ min: 100, max: 110 }) },
  );
  const links = fc.constantFrom<Link[]>("none", "id", "phone", "unknown phone");
  return fc.oneof(
    on(4, () => [true, false], createPatient, fc.tuple(way)),
    on(2, patientsOf, createPatientAgain, fc.tuple(way)),
    on(2, patientsOf, getPatient, nothing),
    on(8, patientsOrNone, createThread, fc.tuple(way, links)),
    on(5, () => PLACES, shareThread, nothing),
    on(11, threadsInUse, getThread, nothing),
    on(3, openThreads, getThread, nothing),
    on(4, threadsInUse, deleteThread, nothing),
    on(3, goneThreads, visitGone, nothing),
    on(36, threadsInUse, chatOnThread, fc.tuple(chatOptions)),
    on(2, openThreads, talk, fc.tuple(turns)),
    on(3, threadsInUse, chatTogether, fc.tuple(fc.integer({ min: 2, max: 5 }))),
    on(6, threadsInUse, chatWithKey, fc.tuple(mostly(6, 1, 2, 3), flag)),
    on(6, keyedRequests, repeatKey, fc.tuple(flag, flag)),
    on(1, threadsInUse, failWithKey, nothing),
    on(3, threadsInUse, hangUp, nothing),
    on(2, threadsInUse, loseConnection, fc.tuple(fc.nat(30))),
    on(2, boundThreads, nameOtherPatient, fc.tuple(flag)),
    on(6, refusals, refused, nothing),
    on(4, patientsOrNone, chatAlone, fc.tuple(way, fc.nat(3), flag)),
    on(2, () => PHONES, registerShared, fc.tuple(way)),
    on(3, threadsInUse, readMessages, fc.tuple(limit)),
    on(3, patientsOf, correctPatient, nothing),
    on(2, patientsOf, changePhone, fc.tuple(way)),
    on(2, patientsOf, searchPatient, fc.tuple(way)),
    on(2, patientsOf, listThreads, fc.tuple(limit)),
    on(2, patientsOf, exportPatient, nothing),
    on(2, patientsOf, erasePatient, fc.tuple(way)),
  );
}
