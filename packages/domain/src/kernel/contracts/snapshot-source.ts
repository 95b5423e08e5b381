/**
 * Snapshot events: their payload is the complete state of one object at one version. Maps the name of each snapshot
 * event to the payload field with the object's id. A projection needs only the event with the highest version.
 */
export const SNAPSHOT_ID_FIELDS: Readonly<Record<string, string>> = {
  'userctx.family.changed': 'familyId',
  'userctx.friendship.changed': 'friendshipId',
  'userctx.child-rules.changed': 'cid',
};

/** Id of an object, and its current version in the app that owns the object. */
export interface SnapshotVersion {
  id: string;
  version: number;
}

/** Current state of an object; `payload` is the payload of the object's snapshot event. */
export interface Snapshot extends SnapshotVersion {
  /** Key of the object's events. */
  key: string;
  payload: unknown;
}

/** An object whose latest snapshot event has been committed, but not yet published. */
export interface UnpublishedSnapshot {
  /** Name of the snapshot event. */
  event: string;
  id: string;
}

/** Maximum number of versions in one page of {@link SnapshotSource.listVersions}. */
export const SNAPSHOT_PAGE_SIZE = 1_000;

/** Maximum number of objects that one call of {@link SnapshotSource.find} returns. */
export const MAX_SNAPSHOTS_PER_CALL = 100;

/**
 * Reads the current states of an app's objects directly, without the event bus. Other apps compare their projections of
 * these objects with this source, and repair projections that differ. `event` is the name of a snapshot event.
 */
export interface SnapshotSource {
  /** Returns one page of versions, in the order of the ids, from the first id greater than `after` (`null`: any id). */
  listVersions(event: string, after: string | null): Promise<SnapshotVersion[]>;
  /** Returns the current states of the objects with these ids; ids without an object are omitted. */
  find(event: string, ids: readonly string[]): Promise<Snapshot[]>;
  /** Returns the objects whose latest snapshot event is not published yet, for example during an outage of the bus. */
  listUnpublishedSnapshots(): Promise<UnpublishedSnapshot[]>;
}

/** Number of available contents of a family cloud, and a digest of their ids that does not depend on their order. */
export interface ContentDigest {
  cloudId: string;
  count: number;
  digest: string;
}

/** Maximum number of clouds in one page of {@link ContentSource.listDigests}. */
export const CONTENT_DIGEST_PAGE_SIZE = 500;

/** Maximum number of ids in one page of {@link ContentSource.listIds}. */
export const CONTENT_ID_PAGE_SIZE = 5_000;

/** The available contents of family clouds, as mcdisk stores them. */
export interface ContentSource {
  /** Returns one page of digests, in the order of the cloud ids, from the first id greater than `after`. */
  listDigests(after: string | null): Promise<ContentDigest[]>;
  /** Returns one page of ids of a cloud's available contents, in order, from the first id greater than `after`. */
  listIds(cloudId: string, after: string | null): Promise<string[]>;
}

/**
 * Returns the SQL aggregate that computes {@link ContentDigest.digest}: the sum of 60 bits of each id's MD5. mcdisk
 * owns the contents. mcdisk and the app with the projection must use the same aggregate.
 *
 * @param column - SQL expression of type text with the content id
 */
export function contentDigestSql(column: string): string {
  return `coalesce(sum(('x' || left(md5(${column}), 15))::bit(60)::bigint), 0)::text`;
}
