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
  REFUSED,
  refused,
  repeatKey,
  talk,
} from "./chats.ts";
import { on, openThreads, patientsOf, threadsInUse } from "./command.ts";
import {
  changePhone,
  correctPatient,
  erasePatient,
  exportPatient,
  listThreads,
  readMessages,
  searchPatient,
} from "./lifecycle.ts";
import {
  createPatient,
  createPatientAgain,
  createThread,
  deleteThread,
  getPatient,
  getThread,
  goneThreads,
  type Link,
  patientsOrNone,
  visitGone,
} from "./patients-and-threads.ts";
import {
  abandonOnShared,
  chatOnShared,
  deleteShared,
  PHONES,
  readShared,
  registerShared,
  SLOTS,
} from "./shared-threads.ts";
import type { Client, World } from "./world.ts";

/** One of all commands, the more important ones more often. */
export function anyCommand(): fc.Arbitrary<fc.AsyncCommand<Client, World, true>> {
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
  const links = fc.constantFrom<Link[]>("none", "id", "phone", "unknown phone", "unknown id");
  return fc.oneof(
    on(4, () => [true, false], createPatient, fc.tuple(way)),
    on(2, patientsOf, createPatientAgain, fc.tuple(way)),
    on(2, patientsOf, getPatient, nothing),
    on(8, patientsOrNone, createThread, fc.tuple(way, links)),
    on(8, threadsInUse, getThread, nothing),
    on(3, openThreads, getThread, nothing),
    on(3, threadsInUse, deleteThread, nothing),
    on(3, goneThreads, visitGone, nothing),
    on(26, threadsInUse, chatOnThread, fc.tuple(chatOptions)),
    on(2, threadsInUse, talk, fc.tuple(turns)),
    on(3, threadsInUse, chatTogether, fc.tuple(fc.integer({ min: 2, max: 5 }))),
    on(6, threadsInUse, chatWithKey, fc.tuple(mostly(6, 1, 2, 3), flag)),
    on(6, keyedRequests, repeatKey, fc.tuple(flag, flag)),
    on(1, threadsInUse, failWithKey, nothing),
    on(2, threadsInUse, hangUp, nothing),
    on(2, threadsInUse, loseConnection, fc.tuple(fc.nat(30))),
    on(2, boundThreads, nameOtherPatient, fc.tuple(flag)),
    on(3, () => REFUSED, refused, nothing),
    on(4, patientsOrNone, chatAlone, fc.tuple(way, fc.nat(3), flag)),
    on(10, () => SLOTS, chatOnShared, fc.tuple(flag)),
    on(1, () => SLOTS, abandonOnShared, nothing),
    on(3, () => SLOTS, readShared, nothing),
    on(1, () => SLOTS, deleteShared, nothing),
    on(2, () => PHONES, registerShared, fc.tuple(way)),
    on(3, openThreads, readMessages, fc.tuple(limit)),
    on(3, patientsOf, correctPatient, nothing),
    on(2, patientsOf, changePhone, fc.tuple(way)),
    on(2, patientsOf, searchPatient, fc.tuple(way)),
    on(2, patientsOf, listThreads, fc.tuple(limit)),
    on(2, patientsOf, exportPatient, nothing),
    on(2, patientsOf, erasePatient, fc.tuple(way)),
  );
}
