/**
 * Events whose payload is the complete state of one object at one version, with the payload field that contains the
 * object's id. A projection that stores the highest version is complete after any single event.
 */
export const SNAPSHOT_ID_FIELDS: Readonly<Record<string, string>> = {
  'userctx.family.changed': 'familyId',
  'userctx.friendship.changed': 'friendshipId',
  'userctx.child-rules.changed': 'cid',
};

/** Version of an object in the app that owns it. */
export interface SnapshotVersion {
  id: string;
  version: number;
}

/** Current state of an object, in the form of the event that publishes it. */
export interface Snapshot extends SnapshotVersion {
  /** Key of the object's events. */
  key: string;
  payload: unknown;
}

/** An object whose latest snapshot event has been committed, but not yet published. */
export interface UnpublishedSnapshot {
  event: string;
  id: string;
}

/** Maximum number of versions in one page of {@link SnapshotSource.listVersions}. */
export const SNAPSHOT_PAGE_SIZE = 1_000;

/** Maximum number of objects that one call of {@link SnapshotSource.find} returns. */
export const MAX_SNAPSHOTS_PER_CALL = 100;

/**
 * Returns the current states of an app's objects, as a second way beside the event bus. Other apps compare their
 * projections of these objects with the source and repair them from it.
 */
export interface SnapshotSource {
  /** Returns the versions of the objects with a greater id, in the order of their ids, one page at a time. */
  listVersions(event: string, after: string | null): Promise<SnapshotVersion[]>;
  /** Returns the current states of these objects; an object that does not exist is omitted. */
  find(event: string, ids: readonly string[]): Promise<Snapshot[]>;
  /** Returns the objects whose changes wait for publication, for example because the event bus is unavailable. */
  listUnpublished(): Promise<UnpublishedSnapshot[]>;
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
  /** Returns the digests of the clouds with a greater id, in the order of their ids, one page at a time. */
  listDigests(after: string | null): Promise<ContentDigest[]>;
  /** Returns the ids of a cloud's available contents that are greater than `after`, in order, one page at a time. */
  listIds(cloudId: string, after: string | null): Promise<string[]>;
}

/**
 * Returns the SQL expression of {@link ContentDigest.digest}. mcdisk, which owns the contents, and the app that
 * projects them must compute the digest with the same expression.
 *
 * @param column - text expression of the content id
 */
export function contentDigestSql(column: string): string {
  return `coalesce(sum(('x' || left(md5(${column}), 15))::bit(60)::bigint), 0)::text`;
}
