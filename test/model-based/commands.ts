import fc from "fast-check";
import * as chats from "./chats.ts";
import * as desk from "./desk.ts";
import * as patients from "./patients.ts";
import * as sources from "./sources.ts";
import * as threads from "./threads.ts";
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
  const links = fc.constantFrom<threads.Link[]>("none", "id", "phone", "unknown phone");
  return fc.oneof(
    on(4, () => [true, false], patients.createPatient, fc.tuple(way)),
    on(2, patients.patientsOf, patients.createPatientAgain, fc.tuple(way)),
    on(2, patients.patientsOf, patients.getPatient, nothing),
    on(8, threads.patientsOrNone, threads.createThread, fc.tuple(way, links)),
    on(5, () => PLACES, threads.shareThread, nothing),
    on(11, threads.threadsInUse, threads.getThread, nothing),
    on(3, threads.openThreads, threads.getThread, nothing),
    on(4, threads.threadsInUse, threads.deleteThread, nothing),
    on(3, threads.goneThreads, threads.visitGone, nothing),
    on(36, threads.threadsInUse, chats.chatOnThread, fc.tuple(chatOptions)),
    on(2, threads.openThreads, chats.talk, fc.tuple(turns)),
    on(3, threads.threadsInUse, chats.chatTogether, fc.tuple(fc.integer({ min: 2, max: 5 }))),
    on(6, threads.threadsInUse, chats.chatWithKey, fc.tuple(mostly(6, 1, 2, 3), flag)),
    on(6, chats.keyedRequests, chats.repeatKey, fc.tuple(flag, flag)),
    on(1, threads.threadsInUse, chats.failWithKey, nothing),
    on(3, threads.threadsInUse, chats.hangUp, nothing),
    on(2, threads.threadsInUse, chats.loseConnection, fc.tuple(fc.nat(30))),
    on(2, chats.boundThreads, chats.nameOtherPatient, fc.tuple(flag)),
    on(6, threads.refusals, threads.refused, nothing),
    on(4, threads.patientsOrNone, chats.chatAlone, fc.tuple(way, fc.nat(3), flag)),
    on(2, () => PHONES, patients.registerShared, fc.tuple(way)),
    on(3, threads.threadsInUse, threads.readMessages, fc.tuple(limit)),
    on(3, patients.patientsOf, patients.correctPatient, nothing),
    on(2, patients.patientsOf, patients.changePhone, fc.tuple(way)),
    on(2, patients.patientsOf, patients.searchPatient, fc.tuple(way)),
    on(2, patients.patientsOf, patients.listThreads, fc.tuple(limit)),
    on(2, patients.patientsOf, patients.exportPatient, nothing),
    on(2, patients.patientsOf, patients.erasePatient, fc.tuple(way)),
    on(2, () => [true], desk.openDesk, nothing),
    on(4, desk.openDesks, desk.takeOver, fc.tuple(way)),
    on(3, desk.openDesks, desk.giveBack, nothing),
    on(4, desk.openDesks, desk.writeAtDesk, nothing),
    on(6, desk.openDesks, desk.askAtDesk, fc.tuple(flag)),
    on(3, desk.openDesks, desk.readDesk, fc.tuple(limit)),
    on(4, desk.openDesks, desk.rateAtDesk, fc.tuple(fc.nat(20), fc.constantFrom("good", "bad", "none"))),
    on(2, sources.sourceIds, sources.storeSource, nothing),
    on(1, sources.sourceIds, sources.readSource, nothing),
    on(1, sources.sourceIds, sources.deleteSource, nothing),
  );
}
