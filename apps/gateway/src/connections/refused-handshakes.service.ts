import { createHash } from 'node:crypto';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { httpStatusOf, ERROR_CATALOGUE, type ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { rateLimitedError } from '@family-watch/domain/kernel/contracts/service-error';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { ipBlock } from '@family-watch/platform/http/server/ip-block';
import { REFUSED_HANDSHAKES } from './socket-metrics.js';

/** Milliseconds in which refusals are counted together. */
const INTERVAL_MS = 60_000;

/** Refusals of one credential from one address per interval, after which the credential is not verified again. */
const MAX_REFUSALS_PER_CREDENTIAL = 10;

/** Refusals of one address per interval, after which each further refusal is delayed. */
const MAX_PROMPT_REFUSALS_PER_ADDRESS = 120;

/** Milliseconds by which a refusal is delayed, so that a client that does not wait by itself reconnects less often. */
const REFUSAL_DELAY_MS = 5_000;

/** Maximum number of addresses that are counted and logged separately per interval; all others are counted together. */
const MAX_ADDRESSES = 100;
const OTHER_ADDRESSES = 'other';

/** Maximum number of credentials whose refusals are counted. */
const MAX_CREDENTIALS = 10_000;

/**
 * Counts refused handshakes, writes a log line per minute and address, and slows clients that reconnect with a token
 * that was refused. A handshake with a valid token is never delayed, also behind an address with many refusals.
 */
@Injectable()
export class RefusedHandshakesService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(RefusedHandshakesService.name);
  /** Refusals by address and credential. */
  private readonly credentials = new LRUCache<string, number>({ max: MAX_CREDENTIALS, ttl: INTERVAL_MS });
  private readonly countsByAddress = new Map<string, Map<ErrorReason, number>>();

  beforeApplicationShutdown(): Promise<void> {
    return this.logCounts();
  }

  /**
   * @param credential - the token of the handshake, which need not be valid
   * @throws ServiceError RATE_LIMITED if the service has refused this credential from this address too often
   */
  assertNotRepeated(ip: string, credential: unknown): void {
    if (this.isRepeated(credentialKey(ip, credential)))
      throw rateLimitedError('socket.refused-handshakes', INTERVAL_MS / 1_000);
  }

  /** Counts a refusal. @returns the milliseconds by which the refusal must be delayed */
  count(ip: string, reason: ErrorReason, credential?: unknown): number {
    REFUSED_HANDSHAKES.inc({ app: 'gateway', reason });
    const key = credentialKey(ip, credential);
    const isTokenRefused = httpStatusOf(ERROR_CATALOGUE[reason].code) === 401;
    const total = this.countAddress(ipBlock(ip), reason);
    const isDelayed = this.isRepeated(key) || (isTokenRefused && total > MAX_PROMPT_REFUSALS_PER_ADDRESS);
    if (isTokenRefused) this.countCredential(key);
    return isDelayed ? REFUSAL_DELAY_MS : 0;
  }

  private isRepeated(key: string): boolean {
    return (this.credentials.get(key) ?? 0) >= MAX_REFUSALS_PER_CREDENTIAL;
  }

  private countCredential(key: string): void {
    const count = this.credentials.get(key) ?? 0;
    // The time to live starts at the first refusal, so a client that never pauses is verified again after a minute.
    this.credentials.set(key, count + 1, { noUpdateTTL: count > 0 });
  }

  /** @returns the refusals of the address in this interval; 0 for an address that is not counted separately */
  private countAddress(address: string, reason: ErrorReason): number {
    const isCounted = this.countsByAddress.has(address) || this.countsByAddress.size < MAX_ADDRESSES;
    const key = isCounted ? address : OTHER_ADDRESSES;
    const counts = this.countsByAddress.get(key) ?? new Map<ErrorReason, number>();
    this.countsByAddress.set(key, counts.set(reason, (counts.get(reason) ?? 0) + 1));
    return isCounted ? sumOf(counts.values()) : 0;
  }

  /** Logs and forgets the refusals of the interval. */
  @OnJob('gateway.connections.log-refused-handshakes', { intervalMs: INTERVAL_MS, runsWhileClientsAreConnected: true })
  logCounts(): Promise<void> {
    for (const [address, counts] of this.countsByAddress) {
      const reasons = Object.fromEntries(counts);
      this.logger.log({ msg: 'Handshakes refused', address, count: sumOf(counts.values()), reasons });
    }
    this.countsByAddress.clear();
    return Promise.resolve();
  }
}

/** The key contains a digest, so that no token stays in memory, and long tokens take no more memory than short ones. */
function credentialKey(ip: string, credential: unknown): string {
  const text = typeof credential === 'string' ? credential : '';
  return `${ipBlock(ip)} ${createHash('sha256').update(text).digest('base64url')}`;
}

function sumOf(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
