import { Injectable } from '@nestjs/common';
import { ReadinessCheck } from '@family-watch/platform/health/readiness-check';
import type { ReadinessProblem } from '@family-watch/platform/health/readiness-check';
import { BlobStore } from './blob-store.js';
import { errorCodeOf } from './local-disk/file-system.js';

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
          // This process has too many open files, which says nothing about the store.
          if (isOutOfHandles(error)) throw error;
          return toProblem(error);
        }
      },
    });
  }

  findProblem(): Promise<ReadinessProblem | undefined> {
    return this.check.findProblem();
  }
}

function causeCodeOf(error: unknown): string | undefined {
  return errorCodeOf(error instanceof Error ? (error.cause ?? error) : error);
}

function isOutOfHandles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(causeCodeOf(error) ?? '');
}

function toProblem(error: unknown): ReadinessProblem {
  const code = causeCodeOf(error) ?? 'unknown error';
  return { message: `The blob store rejects writes (${code})`, fields: { code } };
}
