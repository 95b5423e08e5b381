import type { LeasedUpload, LeaseKey } from './upload-lease.repository.js';

/** A request's exclusive right to write to one upload, for a short time and renewed while the request runs. */
export class UploadLease implements LeaseKey {
  private readonly stopping = new AbortController();
  private readonly over = Promise.withResolvers<void>();

  constructor(
    /** The upload when the lease was acquired; the holder updates it whenever it changes the row. */
    readonly upload: LeasedUpload,
    /** Random id of the request. */
    readonly holder: string,
  ) {}

  get contentId(): string {
    return this.upload.contentId;
  }

  /** Aborts when the holder must stop: another request waits, the lease is lost, or the time is over. */
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
