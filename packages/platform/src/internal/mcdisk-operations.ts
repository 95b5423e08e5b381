import type { ContentSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { CallInternal, InternalOperations } from '../http/internal-routes.js';

const TEXT = { type: 'string', maxLength: 128 };
const CURSOR = { ...TEXT, nullable: true };

/** The operations with which mcdisk answers {@link mcdiskClient}. */
export function mcdiskOperations(source: ContentSource): InternalOperations {
  return {
    'contents/digests': {
      request: { after: CURSOR },
      run: ({ after }: { after: string | null }) => source.listDigests(after),
    },
    'contents/ids': {
      request: { cloudId: TEXT, after: CURSOR },
      run: ({ cloudId, after }: { cloudId: string; after: string | null }) => source.listIds(cloudId, after),
    },
  };
}

/** Returns the contents of mcdisk as seen by another app. */
export function mcdiskClient(call: CallInternal): ContentSource {
  return {
    listDigests: (after) => call('contents/digests', { after }),
    listIds: (cloudId, after) => call('contents/ids', { cloudId, after }),
  };
}
