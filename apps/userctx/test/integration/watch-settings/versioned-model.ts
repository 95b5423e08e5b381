/** How far behind the newest version is the one that the caller has seen; below 0 it was never there, undefined: not said. */
export type Behind = number | undefined;

/** A resource that has a version: 0 while nothing was changed, one more with each change. */
export class VersionedModel {
  version = 0;

  /** @returns the version after a change */
  changed(): number {
    return (this.version += 1);
  }

  /** What a request says of the version. */
  seen(behind: Behind): { version?: number } {
    return behind === undefined ? {} : { version: Math.max(0, this.version - behind) };
  }

  isStale(behind: Behind): boolean {
    return (this.seen(behind).version ?? this.version) !== this.version;
  }
}
