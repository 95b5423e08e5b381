import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SIGNED_URL_TTL_MS } from '@family-watch/domain/family-cloud/contracts/content';
import { deriveKey } from '@family-watch/platform/auth/secret-box';
import { Environment } from '@family-watch/platform/config/environment';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UrlSigningKeyRepository } from './url-signing-key.repository.js';
import type { UrlSigningKey } from './signed-url-token.js';

const MINUTE_MS = 60_000;
const INTERVAL_MS = 2 * MINUTE_MS;
/** How long a key signs: who has seen the table an hour ago can do nothing with it. */
const KEY_PERIOD_MS = 60 * MINUTE_MS;
/** A new key is known everywhere before it signs: longer than two rounds. */
const KNOWN_AHEAD_MS = 5 * MINUTE_MS;
/** A key stands for the last addresses it signed, and for clocks that differ a little. */
const STANDS_AFTER_MS = SIGNED_URL_TTL_MS + MINUTE_MS;
/** Forged key numbers must not become queries. */
const MIN_RELOAD_PAUSE_MS = 2_000;
const SECRET_BYTES = 32;

interface RingKey extends UrlSigningKey {
  signsFrom: number;
}

/**
 * The keys that sign addresses for reading. They are made in the database, so that replicas sign with the same one,
 * and work only together with SECRET_KEY where there is one. Generations overlap.
 */
@Injectable()
export class UrlSigningKeysService extends PeriodicJob {
  private keys: RingKey[] = [];
  private loadedAt = Number.NEGATIVE_INFINITY;
  private loading?: Promise<void>;

  constructor(
    private readonly repository: UrlSigningKeyRepository,
    private readonly environment: Environment,
  ) {
    super(INTERVAL_MS);
  }

  async onModuleInit(): Promise<void> {
    await this.reload();
    if (this.keys.length > 0) return;
    await this.make(1, Date.now());
    await this.reload();
  }

  /** The key that signs now. */
  get current(): UrlSigningKey {
    const now = Date.now();
    const key = this.keys.findLast(({ signsFrom }) => signsFrom <= now) ?? this.keys[0];
    if (!key) throw new Error('There is no key for addresses before the module has started');
    return key;
  }

  /** A key that may have signed an address that still works; another replica's new one is looked up. */
  async find(keyId: number): Promise<UrlSigningKey | undefined> {
    const known = this.standing().find((key) => key.keyId === keyId);
    if (known || Date.now() - this.loadedAt < MIN_RELOAD_PAUSE_MS) return known;
    await this.reload();
    return this.standing().find((key) => key.keyId === keyId);
  }

  /** Makes the next generation when its time has come, and forgets what no address needs; safe on every replica. */
  async run(): Promise<void> {
    const now = Date.now();
    const newest = this.keys.at(-1);
    if (newest && newest.signsFrom + KEY_PERIOD_MS <= now) await this.make(newest.keyId + 1, now + KNOWN_AHEAD_MS);
    const oldest = this.standing()[0];
    if (oldest) await this.repository.removeBefore(oldest.keyId);
    await this.reload();
  }

  /** Callers at the same time share one reading. */
  private reload(): Promise<void> {
    this.loading ??= this.load().finally(() => (this.loading = undefined));
    return this.loading;
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

  private standing(): RingKey[] {
    const now = Date.now();
    return this.keys.filter((_, index) => {
      const successor = this.keys[index + 1];
      return !successor || successor.signsFrom + STANDS_AFTER_MS > now;
    });
  }

  private make(keyId: number, signsFrom: number): Promise<void> {
    return this.repository.insertIfAbsent({ keyId, secret: randomBytes(SECRET_BYTES), signsFrom });
  }
}
