import { mkdir, opendir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { errorCodeOf, withStoreErrors, type DirectorySync } from './file-system.js';
import type { StoredBlob } from '../blob-store.js';

const PRIVATE_DIRECTORY_MODE = 0o700;

/**
 * Paths of blob files. A staged blob is the file `staging/<key>`. A promoted blob is the file `live/<two digits>/<key>`
 * with the first two hexadecimal digits of its key.
 * The directories `staging` and `live` are on one file system, so that a rename between them is atomic.
 */
export class DiskLayout {
  readonly root: string;
  readonly stagingDirectory: string;
  readonly liveDirectory: string;
  /** The directories `live/<two digits>`, which contain the promoted blobs. */
  readonly shardDirectories: readonly string[];
  private directoriesCreated: Promise<void> | undefined;

  constructor(
    root: string,
    private readonly directories: DirectorySync,
  ) {
    this.root = resolve(root);
    this.stagingDirectory = join(this.root, 'staging');
    this.liveDirectory = join(this.root, 'live');
    this.shardDirectories = Array.from({ length: 256 }, (_, index) =>
      join(this.liveDirectory, index.toString(16).padStart(2, '0')),
    );
  }

  stagedPath(key: string): string {
    return join(this.stagingDirectory, fileName(key));
  }

  /** Path of the copy that is written while a staged blob is taken over from its writer. */
  replacementPath(key: string): string {
    return join(this.stagingDirectory, `${fileName(key)}.seized`);
  }

  /**
   * Path of a file that is written and deleted to test the disk; its name is not a blob key. All processes use the same
   * path, so that processes that crash before they have deleted the file leave at most one file.
   */
  probePath(): string {
    return join(this.stagingDirectory, 'write-check');
  }

  promotedPath(key: string): string {
    return join(this.root, this.promotedRelativePath(key));
  }

  /** Returns the path relative to the root, with slashes on every system, because it becomes part of a URL. */
  promotedRelativePath(key: string): string {
    const name = fileName(key);
    return `live/${name.slice(0, 2)}/${name}`;
  }

  /**
   * Creates the directories once and waits until they are durable, so that no blob is acknowledged whose directory
   * could be lost in a power failure.
   */
  ensureDirectories(): Promise<void> {
    this.directoriesCreated ??= this.createDirectories().catch((error: unknown) => {
      this.directoriesCreated = undefined;
      throw error;
    });
    return this.directoriesCreated;
  }

  private async createDirectories(): Promise<void> {
    const firstCreated = await mkdir(this.root, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    for (const directory of [this.stagingDirectory, this.liveDirectory, ...this.shardDirectories]) {
      await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    }
    await this.directories.sync(this.liveDirectory);
    for (let directory = this.root; ; directory = dirname(directory)) {
      await this.directories.sync(directory);
      // The name of a new directory is stored in its parent directory. Directories above the parent of the first new
      // directory have not changed and need no sync.
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

/** Number of files that are inspected concurrently. */
const BATCH_SIZE = 64;

/** Lists every blob on the disk; files whose name is not a blob key are skipped. */
export async function* listDiskBlobs(layout: DiskLayout): AsyncGenerator<StoredBlob> {
  await withStoreErrors(() => layout.ensureDirectories());
  yield* listDirectory(layout.stagingDirectory, true);
  for (const shard of layout.shardDirectories) yield* listDirectory(shard, false);
}

async function* listDirectory(directory: string, staged: boolean): AsyncGenerator<StoredBlob> {
  let keys: string[] = [];
  for await (const { name } of await withStoreErrors(() => opendir(directory))) {
    if (!isUuid(name)) continue;
    keys.push(name);
    if (keys.length < BATCH_SIZE) continue;
    yield* await inspect(directory, keys, staged);
    keys = [];
  }
  yield* await inspect(directory, keys, staged);
}

async function inspect(directory: string, keys: string[], staged: boolean): Promise<StoredBlob[]> {
  const blobs = await withStoreErrors(() => Promise.all(keys.map((key) => inspectFile(directory, key, staged))));
  return blobs.filter((blob) => blob !== undefined);
}

async function inspectFile(directory: string, key: string, staged: boolean): Promise<StoredBlob | undefined> {
  try {
    const { size, mtimeMs } = await stat(join(directory, key));
    return { key, staged, size, changedAt: Math.floor(mtimeMs) };
  } catch (error) {
    // The blob was promoted or deleted after its directory was read.
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
