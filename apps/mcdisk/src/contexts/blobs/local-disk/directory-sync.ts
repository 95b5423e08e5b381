import { open } from 'node:fs/promises';

/** A sync that is under way, and the one that begins after it, if somebody waits for that. */
interface Line {
  running: Promise<void>;
  next?: Promise<void>;
}

/**
 * Makes the names in folders lasting (fsync(2)). Those who wait for one folder at one moment share a sync: one that
 * began after their change counts for all of them.
 */
export class DirectorySync {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly syncOne: (path: string) => Promise<void> = syncFolder) {}

  /** Resolves when every change of a name in this folder before the call is on the disk. */
  sync(path: string): Promise<void> {
    const line = this.lines.get(path);
    if (!line) return this.begin(path);
    // The running one may have begun before the caller's change.
    line.next ??= line.running.then(
      () => this.begin(path),
      () => this.begin(path),
    );
    return line.next;
  }

  private begin(path: string): Promise<void> {
    const running = this.syncOne(path);
    const line: Line = { running };
    this.lines.set(path, line);
    const end = () => {
      if (!line.next) this.lines.delete(path);
    };
    running.then(end, end);
    return running;
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows has no handle on a folder that could be synchronised.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
