import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';

/** Names of the objects in which blobs are stored. */
export class S3Layout {
  /** Prefix of the segments of all staged blobs. */
  readonly stagingPrefix: string;
  /** Prefix of all promoted blobs. */
  readonly livePrefix: string;

  /** @param prefix empty, or ending in a slash */
  constructor(prefix: string) {
    this.stagingPrefix = `${prefix}staging/`;
    this.livePrefix = `${prefix}live/`;
  }

  /** Returns the prefix of the segments of one staged blob. */
  stagedPrefix(key: string): string {
    return `${this.stagingPrefix}${assertKey(key)}/`;
  }

  promotedName(key: string): string {
    return `${this.livePrefix}${assertKey(key)}`;
  }
}

/**
 * Checks that a key is a UUID. The service generates all keys, so any other key is a bug and must not become part of a
 * name.
 */
function assertKey(key: string): string {
  if (!isUuid(key)) throw new TypeError('A blob key must be a UUID');
  return key;
}
