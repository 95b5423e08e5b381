import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { DirectorySync } from './directory-sync.js';

const PRIVATE_DIRECTORY_MODE = 0o700;

/**
 * Paths of blob files. A staged blob is the file `staging/<key>`, a promoted blob the file `live/<two digits>/<key>`.
 * The directories `staging` and `live` are on one file system, so that a rename between them is atomic.
 */
export class DiskLayout {
  readonly root: string;
  readonly staging: string;
  readonly live: string;
  /** The directories `live/<two digits>`, which contain the promoted blobs. */
  readonly shards: readonly string[];
  private prepared: Promise<void> | undefined;

  constructor(
    root: string,
    private readonly directories: DirectorySync,
  ) {
    this.root = resolve(root);
    this.staging = join(this.root, 'staging');
    this.live = join(this.root, 'live');
    this.shards = Array.from({ length: 256 }, (_, index) => join(this.live, index.toString(16).padStart(2, '0')));
  }

  staged(key: string): string {
    return join(this.staging, fileName(key));
  }

  /** Path of the copy that is written while a staged blob is taken over from its writer. */
  takenOver(key: string): string {
    return join(this.staging, `${fileName(key)}.seized`);
  }

  promoted(key: string): string {
    return join(this.root, this.promotedBelowRoot(key));
  }

  /** Returns the path relative to the root, with slashes on every system, because it becomes part of a URL. */
  promotedBelowRoot(key: string): string {
    const name = fileName(key);
    return `live/${name.slice(0, 2)}/${name}`;
  }

  /**
   * Creates the directories once and waits until they are durable, so that no blob is acknowledged whose directory
   * could be lost in a power failure.
   */
  prepare(): Promise<void> {
    this.prepared ??= this.createDirectories().catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  private async createDirectories(): Promise<void> {
    const firstCreated = await mkdir(this.root, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    for (const directory of [this.staging, this.live, ...this.shards]) {
      await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    }
    await this.directories.sync(this.live);
    for (let directory = this.root; ; directory = dirname(directory)) {
      await this.directories.sync(directory);
      // The name of a new directory is stored in its parent directory. Directories above the parent of the first new
      // directory have not changed.
      if (firstCreated === undefined || directory === dirname(firstCreated)) return;
    }
  }
}

/**
 * Returns the file name of a blob. The service generates all keys, so a key that is not a UUID is a bug and must not
 * become part of a path.
 */
function fileName(key: string): string {
  if (!isUuid(key)) throw new TypeError('A blob key must be a UUID');
  return key;
}
