import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';

/** Names of the objects in which blobs are stored. */
export class S3Layout {
  /** Prefix of the segments of all staged blobs. */
  readonly staging: string;
  /** Prefix of all promoted blobs. */
  readonly live: string;

  /** @param prefix empty, or ending in a slash */
  constructor(prefix: string) {
    this.staging = `${prefix}staging/`;
    this.live = `${prefix}live/`;
  }

  /** Returns the prefix of the segments of one staged blob. */
  staged(key: string): string {
    return `${this.staging}${assertKey(key)}/`;
  }

  promoted(key: string): string {
    return `${this.live}${assertKey(key)}`;
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
