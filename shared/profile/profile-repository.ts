import { randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { isAsRead } from "../dynamo/expressions.ts";
import { libraryKey } from "../dynamo/keys.ts";
import { readItem } from "../dynamo/query.ts";
import { transact, update } from "../dynamo/transact.ts";
import { recordEvent } from "../events/outbox.ts";
import type { Tenant } from "../tenant.ts";
import type { Profile } from "./profile.ts";

/** A profile with what identifies this state of it. */
export interface StoredProfile {
  profile: Profile;
  revision: string;
}

/**
 * What a chat reads of a tenant, in one item of at most about 6 KB, so that a profile costs no read of its own: a read
 * unit and a half at most, half a read unit without a profile.
 */
export interface TenantItem {
  stored: StoredProfile | undefined;
  /** Changes with each write of a source; undefined for a tenant that has none. */
  libraryVersion: string | undefined;
}

/**
 * Reads the item. It may be that of a moment ago.
 *
 * @throws the database's error, as all functions below
 */
export async function readTenantItem(tenant: Tenant): Promise<TenantItem> {
  const { Item } = await dynamo.send(new GetCommand({ TableName: config.sourcesTable, Key: libraryKey(tenant) }));
  return { stored: storedIn(Item), libraryVersion: Number(Item?.sources) > 0 ? String(Item?.version) : undefined };
}

/** @returns the profile, read consistently; undefined for a tenant without one */
export async function readProfile(tenant: Tenant): Promise<StoredProfile | undefined> {
  return storedIn(await readItem(config.sourcesTable, libraryKey(tenant)));
}

/**
 * Stores a profile in place of the one that was read, with an event.
 *
 * @param before undefined if there was none
 * @returns the new revision; undefined if it was changed in between
 */
export async function writeProfile(
  tenant: Tenant,
  before: StoredProfile | undefined,
  profile: Profile,
): Promise<string | undefined> {
  const profileRevision = randomUUID();
  const refusal = await transact(() => ({
    profile: update(
      config.sourcesTable,
      libraryKey(tenant),
      { set: { profile, profileRevision } },
      isAsRead("profileRevision", before?.revision),
    ),
    event: recordEvent(tenant, { type: "profile.updated" }, Date.now()),
  }));
  const isOwn = refusal?.failed.profile?.item?.profileRevision === profileRevision; // of an earlier attempt
  return !refusal || isOwn ? profileRevision : undefined;
}

function storedIn(item: Record<string, unknown> | undefined): StoredProfile | undefined {
  return item?.profileRevision === undefined
    ? undefined
    : { profile: item.profile as Profile, revision: String(item.profileRevision) };
}
