import { expect, jest } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { CleanupService } from '../../src/cleanup/cleanup.service.js';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { Fsck } from '../../src/storage/fsck/fsck.js';
import type { CloudServer } from './cloud-server.js';

const HOUR_MS = 60 * 60_000;

/**
 * Runs the cleanup job until no task due at `now` is left, also when a published event has started another run. The
 * monotonic clock stands still, so that the pauses between the steps have no length.
 */
export async function finishCleanup(server: CloudServer, now = Date.now()): Promise<void> {
  await waitFor(async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    await server
      .get(CleanupService)
      .run(now)
      .finally(() => clock.mockRestore());
    expect(await server.query('SELECT FROM mcdisk.ending WHERE due_at <= $1', [now])).toEqual([]);
  });
}

/** Returns the numbers of contents of a cloud by state. */
export async function countStates(server: CloudServer, cloudID: string): Promise<Record<string, number>> {
  const rows = await server.query<{ state: string; count: number }>(
    'SELECT state, count(*)::int AS count FROM mcdisk.content WHERE cloud_id = $1 GROUP BY state',
    [cloudID],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** Returns the findings of fsck after all its grace periods. */
export async function findInconsistencies(server: CloudServer, sampleSize = 0) {
  const fsck = new Fsck(server.unitOfWork, server.get(BlobStore));
  return (await fsck.run({ repair: false, sampleSize }, Date.now() + 2 * HOUR_MS)).findings;
}
