import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import { MAX_SNAPSHOTS_PER_CALL } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { CallInternal, InternalOperations } from '../http/internal-routes.js';

/** What the other apps ask userctx over HTTP, beside the event bus. */
export interface UserctxSource extends SnapshotSource {
  /** Returns the revocations since `time` (Unix milliseconds, inclusive). */
  listRevocationsSince(time: number): Promise<Revocation[]>;
}

const TEXT = { type: 'string', maxLength: 128 };

/** The operations with which userctx answers {@link userctxClient}. */
export function userctxOperations(source: UserctxSource): InternalOperations {
  return {
    'snapshots/versions': {
      request: { event: TEXT, after: { ...TEXT, nullable: true } },
      run: ({ event, after }: { event: string; after: string | null }) => source.listVersions(event, after),
    },
    'snapshots/current': {
      request: { event: TEXT, ids: { type: 'array', items: TEXT, maxItems: MAX_SNAPSHOTS_PER_CALL } },
      run: ({ event, ids }: { event: string; ids: string[] }) => source.find(event, ids),
    },
    'snapshots/unpublished': { request: {}, run: () => source.listUnpublished() },
    revocations: {
      request: { since: { type: 'integer' } },
      run: ({ since }: { since: number }) => source.listRevocationsSince(since),
    },
  };
}

/** Returns userctx as seen by another app. */
export function userctxClient(call: CallInternal): UserctxSource {
  return {
    listVersions: (event, after) => call('snapshots/versions', { event, after }),
    find: (event, ids) => call('snapshots/current', { event, ids }),
    listUnpublished: () => call('snapshots/unpublished'),
    listRevocationsSince: (since) => call('revocations', { since }),
  };
}
