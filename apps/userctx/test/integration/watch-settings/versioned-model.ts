/** How many versions the caller's version is behind; negative for a version that does not exist, undefined for none. */
export type VersionLag = number | undefined;

/** Model of a versioned resource: 0 before the first change, incremented by each change. */
export class VersionedModel {
  version = 0;

  /** @returns the version after a change */
  incrementVersion(): number {
    return (this.version += 1);
  }

  /** Returns the version field of a request. */
  versionField(versionLag: VersionLag): { version?: number } {
    return versionLag === undefined ? {} : { version: Math.max(0, this.version - versionLag) };
  }

  isStale(versionLag: VersionLag): boolean {
    return (this.versionField(versionLag).version ?? this.version) !== this.version;
  }
}
