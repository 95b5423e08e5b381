import type { ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/**
 * Maximum number of streaming responses per principal. Each response occupies an open file and two buffers while its
 * client reads.
 */
const MAX_RESPONSES_PER_PRINCIPAL = 64;
const RETRY_AFTER_SECONDS = 2;
/**
 * Interval of access checks. With access checks at this interval and the one-second TTL of cached contents, the end of
 * access takes effect within two seconds.
 */
const ACCESS_CHECK_INTERVAL_MS = 1_000;

/** The reader of a response, and a check whether the access is still valid. */
export interface StreamReader {
  holder: PrincipalKey;
  isStillAllowed: () => Promise<boolean>;
}

/** Limits the number of streaming responses per principal, and aborts a response when its reader's access ends. */
@Injectable()
export class StreamingResponseService {
  private readonly logger = new Logger(StreamingResponseService.name);
  private readonly responseCounts = new Map<PrincipalKey, number>();

  /**
   * Runs `work`, which sends the response. Closes the connection when the reader's access ends before the response
   * does.
   * @throws ServiceError RATE_LIMITED when the principal has too many responses in progress; errors of `work`
   */
  async run(reader: StreamReader, response: ServerResponse, work: () => Promise<void>): Promise<void> {
    const { holder } = reader;
    const count = this.responseCounts.get(holder) ?? 0;
    if (count >= MAX_RESPONSES_PER_PRINCIPAL)
      throw new ServiceError('RATE_LIMITED', { retryAfter: RETRY_AFTER_SECONDS });
    this.responseCounts.set(holder, count + 1);
    const stopMonitoring = this.monitorAccess(reader, response);
    try {
      await work();
    } finally {
      const end = () => {
        stopMonitoring();
        this.decrementCount(holder);
      };
      // A response that is written completely may still be buffered for its client; access is checked until it is sent.
      if (response.writableFinished || response.destroyed) end();
      else response.once('close', end);
    }
  }

  get activeCount(): number {
    return [...this.responseCounts.values()].reduce((sum, count) => sum + count, 0);
  }

  private decrementCount(holder: PrincipalKey): void {
    const remaining = (this.responseCounts.get(holder) ?? 1) - 1;
    if (remaining > 0) this.responseCounts.set(holder, remaining);
    else this.responseCounts.delete(holder);
  }

  private monitorAccess({ isStillAllowed }: StreamReader, response: ServerResponse): () => void {
    let hasEnded = false;
    const checkAccess = async () => {
      const isAllowed = await this.isAccessValid(isStillAllowed);
      if (hasEnded) return;
      if (isAllowed) timer = setTimeout(() => void checkAccess(), ACCESS_CHECK_INTERVAL_MS);
      else response.destroy();
    };
    let timer = setTimeout(() => void checkAccess(), ACCESS_CHECK_INTERVAL_MS);
    return () => {
      hasEnded = true;
      clearTimeout(timer);
    };
  }

  /**
   * Returns whether the reader still has access. When the check fails, for example because the database is unavailable,
   * the access counts as valid, except while revocations are stale.
   */
  private async isAccessValid(check: StreamReader['isStillAllowed']): Promise<boolean> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'REVOCATIONS_STALE') return false;
      this.logger.warn({ msg: 'Access check of a running download failed', err: error });
      return true;
    }
  }
}
