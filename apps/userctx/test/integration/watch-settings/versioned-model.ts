/**
 * Number of versions by which a request is behind the current version; negative for a version that does not exist,
 * undefined if the request contains no version.
 */
export type VersionLag = number | undefined;

/** Model of a versioned resource. The version is 0 before the first change, and each change increments the version. */
export class VersionedModel {
  version = 0;

  /** @returns the version after a change */
  incrementVersion(): number {
    return (this.version += 1);
  }

  /** Returns the version field of a request; empty if the request contains no version. */
  versionField(versionLag: VersionLag): { version?: number } {
    return versionLag === undefined ? {} : { version: Math.max(0, this.version - versionLag) };
  }

  isStale(versionLag: VersionLag): boolean {
    return (this.versionField(versionLag).version ?? this.version) !== this.version;
  }
}
