import type { LeasedUpload, LeaseKey } from './upload-lease.repository.js';

/**
 * The exclusive right of a request to write to one upload. The lease expires after a short time and is renewed while
 * the request runs.
 */
export class UploadLease implements LeaseKey {
  private readonly stopping = new AbortController();
  private readonly releasedResolvers = Promise.withResolvers<void>();

  constructor(
    /**
     * The upload as of the acquisition of the lease. The holder of the lease updates this object with every change of
     * the row.
     */
    readonly upload: LeasedUpload,
    /** Random id of the request. */
    readonly holder: string,
  ) {}

  get contentId(): string {
    return this.upload.contentId;
  }

  /** Aborts when the holder must stop because another request waits, or because the lease is lost or has expired. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Resolves when the holder has released the lease. */
  get released(): Promise<void> {
    return this.releasedResolvers.promise;
  }

  stop(): void {
    this.stopping.abort();
  }

  markReleased(): void {
    this.releasedResolvers.resolve();
  }
}
