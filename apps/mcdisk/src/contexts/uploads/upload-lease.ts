import type { LeasedUpload, LeaseKey } from './upload-lease.repository.js';

/**
 * The exclusive right of a request to write to one upload. It expires after a short time and is renewed while the
 * request runs.
 */
export class UploadLease implements LeaseKey {
  private readonly stopping = new AbortController();
  private readonly over = Promise.withResolvers<void>();

  constructor(
    /** The upload as it was when the lease was acquired. The holder updates this object whenever it changes the row. */
    readonly upload: LeasedUpload,
    /** Random id of the request. */
    readonly holder: string,
  ) {}

  get contentId(): string {
    return this.upload.contentId;
  }

  /** Aborts when the holder must stop because another request waits, the lease is lost, or its time is over. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Resolves when the holder has released the lease. */
  get released(): Promise<void> {
    return this.over.promise;
  }

  stop(): void {
    this.stopping.abort();
  }

  end(): void {
    this.over.resolve();
  }
}
