import { Injectable } from '@nestjs/common';
import { ReadinessCheck } from '@family-watch/platform/health/readiness-check';
import type { ReadinessProblem } from '@family-watch/platform/health/readiness-check';
import { BlobStore } from './blob-store.js';
import { errorCodeOf } from './local-disk/disk-error.js';

/** Finds out whether the blob store can be written. */
@Injectable()
export class BlobStoreReadiness {
  private readonly check: ReadinessCheck;

  constructor(store: BlobStore) {
    this.check = new ReadinessCheck({
      name: BlobStoreReadiness.name,
      messages: { failed: 'Blob store rejects writes', recovered: 'Blob store accepts writes again' },
      check: async () => {
        try {
          await store.verifyWritable();
          return undefined;
        } catch (error) {
          return toProblem(error);
        }
      },
    });
  }

  findProblem(): Promise<ReadinessProblem | undefined> {
    return this.check.findProblem();
  }
}

function toProblem(error: unknown): ReadinessProblem {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = errorCodeOf(cause) ?? 'unknown error';
  return { message: `The blob store rejects writes (${code})`, fields: { code } };
}
