import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { DirectorySync } from './directory-sync.js';

const PRIVATE_FOLDER = 0o700;

/**
 * Where a blob's file is: `staging/<key>` while it arrives, `live/<two digits>/<key>` afterwards. Both lie below one
 * root and so on one file system, where a rename is atomic.
 */
export class DiskLayout {
  readonly root: string;
  readonly staging: string;
  readonly live: string;
  /** Folders of promoted blobs. */
  readonly shards: readonly string[];
  private prepared: Promise<void> | undefined;

  constructor(
    root: string,
    private readonly folders: DirectorySync,
  ) {
    this.root = resolve(root);
    this.staging = join(this.root, 'staging');
    this.live = join(this.root, 'live');
    this.shards = Array.from({ length: 256 }, (_, index) => join(this.live, index.toString(16).padStart(2, '0')));
  }

  staged(key: string): string {
    return join(this.staging, fileName(key));
  }

  /** Where a blob is copied to while it is taken away from its writer. */
  takenOver(key: string): string {
    return join(this.staging, `${fileName(key)}.seized`);
  }

  promoted(key: string): string {
    return join(this.root, this.promotedBelowRoot(key));
  }

  /** With slashes on every system: part of an address. */
  promotedBelowRoot(key: string): string {
    const name = fileName(key);
    return `live/${name.slice(0, 2)}/${name}`;
  }

  /**
   * Makes every folder once and waits until all are on the disk, so that no blob is acknowledged in a folder that a
   * power cut could still take away.
   */
  prepare(): Promise<void> {
    this.prepared ??= this.makeFolders().catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  private async makeFolders(): Promise<void> {
    const firstMade = await mkdir(this.root, { recursive: true, mode: PRIVATE_FOLDER });
    for (const folder of [this.staging, this.live, ...this.shards]) {
      await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    }
    await this.folders.sync(this.live);
    for (let folder = this.root; ; folder = dirname(folder)) {
      await this.folders.sync(folder);
      // A new folder's name is in its parent; above the first new one nothing has changed.
      if (firstMade === undefined || folder === dirname(firstMade)) return;
    }
  }
}

/** Keys are made by the service; one that is not a UUID is a fault of the program and must not become a path. */
function fileName(key: string): string {
  if (!isUuid(key)) throw new TypeError('A blob key is a UUID');
  return key;
}
