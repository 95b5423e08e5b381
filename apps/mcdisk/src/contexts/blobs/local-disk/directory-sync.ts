import { open } from 'node:fs/promises';

/** The running sync of a directory, and the next one if callers wait for it. */
interface SyncQueue {
  running: Promise<void>;
  next?: Promise<void>;
}

/**
 * Makes the names in directories durable (fsync(2)). Concurrent callers for one directory share a sync that begins
 * after their changes.
 */
export class DirectorySync {
  private readonly queues = new Map<string, SyncQueue>();

  constructor(private readonly syncDirectory: (path: string) => Promise<void> = fsyncDirectory) {}

  /** Resolves when every change of a name in this directory before the call is durable. */
  sync(path: string): Promise<void> {
    const queue = this.queues.get(path);
    if (!queue) return this.start(path);
    // The running sync may have begun before the caller's change.
    queue.next ??= queue.running.then(
      () => this.start(path),
      () => this.start(path),
    );
    return queue.next;
  }

  private start(path: string): Promise<void> {
    const running = this.syncDirectory(path);
    const queue: SyncQueue = { running };
    this.queues.set(path, queue);
    const end = () => {
      if (!queue.next) this.queues.delete(path);
    };
    running.then(end, end);
    return running;
  }
}

async function fsyncDirectory(path: string): Promise<void> {
  // Windows has no directory handle that could be synchronized.
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
