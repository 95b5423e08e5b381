import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';

/** What objects are called. */
export class S3Layout {
  /** Every name of a piece begins with it. */
  readonly staging: string;
  /** Every name of a promoted blob begins with it. */
  readonly live: string;

  /** @param prefix empty, or with a slash at its end */
  constructor(prefix: string) {
    this.staging = `${prefix}staging/`;
    this.live = `${prefix}live/`;
  }

  /** What the names of all pieces of a blob begin with. */
  staged(key: string): string {
    return `${this.staging}${checked(key)}/`;
  }

  promoted(key: string): string {
    return `${this.live}${checked(key)}`;
  }
}

/** Keys are made by the service; one that is not a UUID is a fault of the program and must not become a name. */
function checked(key: string): string {
  if (!isUuid(key)) throw new TypeError('A blob key is a UUID');
  return key;
}
