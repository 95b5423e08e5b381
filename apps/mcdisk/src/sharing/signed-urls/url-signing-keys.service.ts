import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SIGNED_URL_TTL_MS } from '@family-watch/domain/family-cloud/contracts/content';
import { deriveKey } from '@family-watch/platform/auth/secret-box';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UrlSigningKeyRepository } from './url-signing-key.repository.js';
import type { UrlSigningKey } from './signed-url-token.js';

const MINUTE_MS = 60_000;
/** Period in which a key signs URLs. An attacker cannot use a copy of the key table that is older than this period. */
const KEY_PERIOD_MS = 60 * MINUTE_MS;
/**
 * Time between the creation and the first use of a key. The time is longer than two intervals of the job
 * that loads keys, so that every replica has loaded a key before any replica signs with the key.
 */
const KEY_LEAD_MS = 5 * MINUTE_MS;
/** How long a key stays valid after its successor begins to sign: the TTL of a URL plus one minute of clock skew. */
const KEY_OVERLAP_MS = SIGNED_URL_TTL_MS + MINUTE_MS;
/** Minimum time between reloads of the keys, so that not every forged key id causes a query. */
const MIN_RELOAD_PAUSE_MS = 2_000;
const SECRET_BYTES = 32;

interface ScheduledKey extends UrlSigningKey {
  signsFrom: number;
}

/**
 * Manages the keys that sign URLs. Keys are stored in the database, so that all replicas sign with the same key, and
 * are combined with SECRET_KEY if it is set. A key stays valid for some minutes after the next one begins to sign.
 */
@Injectable()
export class UrlSigningKeysService implements OnModuleInit {
  private keys: ScheduledKey[] = [];
  private loadedAt = Number.NEGATIVE_INFINITY;
  private pendingLoad?: Promise<void>;

  constructor(
    private readonly repository: UrlSigningKeyRepository,
    private readonly environment: Environment,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.reload();
    if (this.keys.length > 0) return;
    await this.createKey(1, Date.now());
    await this.reload();
  }

  /** Returns the key that currently signs URLs. */
  get current(): UrlSigningKey {
    const now = Date.now();
    const key = this.keys.findLast(({ signsFrom }) => signsFrom <= now) ?? this.keys[0];
    if (!key) throw new Error('URL signing keys are not loaded yet');
    return key;
  }

  /**
   * Returns a key that may have signed a URL that is still valid. Reloads the keys for an unknown id, because another
   * replica may have created the key.
   */
  async find(keyId: number): Promise<UrlSigningKey | undefined> {
    const cached = this.validKeys().find((key) => key.keyId === keyId);
    if (cached || Date.now() - this.loadedAt < MIN_RELOAD_PAUSE_MS) return cached;
    await this.reload();
    return this.validKeys().find((key) => key.keyId === keyId);
  }

  /**
   * Creates the next key when it is due, and deletes keys that no valid URL uses. Replicas can run this method
   * concurrently.
   */
  @OnJob('mcdisk.signed-urls.rotate-keys', { intervalMs: 2 * MINUTE_MS })
  async rotate(): Promise<void> {
    const now = Date.now();
    const newest = this.keys.at(-1);
    if (newest && newest.signsFrom + KEY_PERIOD_MS <= now) await this.createKey(newest.keyId + 1, now + KEY_LEAD_MS);
    const oldest = this.validKeys()[0];
    if (oldest) await this.repository.deleteBefore(oldest.keyId);
    await this.reload();
  }

  /** Reloads the keys. Concurrent callers share one reload. */
  private reload(): Promise<void> {
    this.pendingLoad ??= this.load().finally(() => (this.pendingLoad = undefined));
    return this.pendingLoad;
  }

  private async load(): Promise<void> {
    const records = await this.repository.findAll();
    const installation = Buffer.from(this.environment.SECRET_KEY ?? '');
    this.keys = records.map(({ keyId, secret, signsFrom }) => ({
      keyId,
      secret: deriveKey(Buffer.concat([secret, installation]), 'mcdisk/links'),
      signsFrom,
    }));
    this.loadedAt = Date.now();
  }

  private validKeys(): ScheduledKey[] {
    const now = Date.now();
    return this.keys.filter((_, index) => {
      const successor = this.keys[index + 1];
      return !successor || successor.signsFrom + KEY_OVERLAP_MS > now;
    });
  }

  private createKey(keyId: number, signsFrom: number): Promise<void> {
    return this.repository.insertIfAbsent({ keyId, secret: randomBytes(SECRET_BYTES), signsFrom });
  }
}
