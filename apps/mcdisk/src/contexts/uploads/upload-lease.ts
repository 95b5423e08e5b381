import type { LeasedUpload, LeaseKey } from './upload-lease.repository.js';

/** The right to write to one upload: of one request, for a short time, renewed while it runs. */
export class UploadLease implements LeaseKey {
  private readonly stopping = new AbortController();
  private readonly over = Promise.withResolvers<void>();

  constructor(
    /** As it was when the lease was taken; the holder keeps it right while it changes the row. */
    readonly upload: LeasedUpload,
    /** Random, of this request alone. */
    readonly holder: string,
  ) {}

  get contentId(): string {
    return this.upload.contentId;
  }

  /** Fires when the holder is to stop: somebody waits, the lease is lost, or the time is over. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Resolves when the holder has given it back. */
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
