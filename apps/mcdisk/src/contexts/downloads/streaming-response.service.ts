import type { ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** Each holds a file and two buffers for as long as its reader likes. */
const MAX_OF_ONE = 64;
/** Seconds. */
const RETRY_AFTER = 2;
/** How often an answer under way asks whether it still may be read; with what is believed, within two seconds. */
const ASK_EVERY_MS = 1_000;

/** Who reads, and whether they still may. */
export interface StreamReader {
  holder: PrincipalKey;
  isStillAllowed: () => Promise<boolean>;
}

/** Answers that can take long: how many somebody has at a time, and that none outlives the access to what it sends. */
@Injectable()
export class StreamingResponseService {
  private readonly logger = new Logger(StreamingResponseService.name);
  private readonly counts = new Map<PrincipalKey, number>();

  /**
   * Does `work`, which answers; the connection is ended when access ends meanwhile.
   * @throws ServiceError RATE_LIMITED to whoever has too many under way, and what `work` throws
   */
  async run(reading: StreamReader, response: ServerResponse, work: () => Promise<void>): Promise<void> {
    const { holder } = reading;
    const count = this.counts.get(holder) ?? 0;
    if (count >= MAX_OF_ONE) throw new ServiceError('RATE_LIMITED', { retryAfter: RETRY_AFTER });
    this.counts.set(holder, count + 1);
    const endWatch = this.watch(reading, response);
    try {
      await work();
    } finally {
      const end = () => {
        endWatch();
        this.leave(holder);
      };
      // What was handed over as a whole may still wait for its reader.
      if (response.writableFinished || response.destroyed) end();
      else response.once('close', end);
    }
  }

  get activeCount(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  private leave(holder: PrincipalKey): void {
    const left = (this.counts.get(holder) ?? 1) - 1;
    if (left > 0) this.counts.set(holder, left);
    else this.counts.delete(holder);
  }

  private watch({ isStillAllowed }: StreamReader, response: ServerResponse): () => void {
    let hasEnded = false;
    const ask = async () => {
      const mayGoOn = await this.isStanding(isStillAllowed);
      if (hasEnded) return;
      if (mayGoOn) timer = setTimeout(() => void ask(), ASK_EVERY_MS);
      else response.destroy();
    };
    let timer = setTimeout(() => void ask(), ASK_EVERY_MS);
    return () => {
      hasEnded = true;
      clearTimeout(timer);
    };
  }

  /** Where the database cannot be asked, nobody has lost anything yet; where revocations are not known, they may have. */
  private async isStanding(stands: StreamReader['isStillAllowed']): Promise<boolean> {
    try {
      return await stands();
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'REVOCATIONS_STALE') return false;
      this.logger.warn({ msg: 'Access check of a running download failed', err: error });
      return true;
    }
  }
}
