import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { errors, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import type { JwkDto, JwksDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import type { SigningKeyEntity } from '@family-watch/domain/accounts/entities/session.entities';
import { CLOUD_TICKET } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import {
  ACCESS_TOKEN_FORMAT,
  OPERATOR_TOKEN_FORMAT,
  type VerificationKeySource,
} from '@family-watch/platform/auth/token-verifier';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { AccountSecrets } from '../account-secrets.js';
import { SigningKeyRepository } from './signing-key.repository.js';

const MINUTE_MS = 60_000;
/** How long a key signs tokens. */
const KEY_SIGNING_PERIOD_MS = 30 * 24 * 60 * MINUTE_MS;
/**
 * Time for which a new key is published before it signs tokens. Verifiers and proxies cache a key set for a shorter
 * time.
 */
const PUBLISHED_BEFORE_USE_MS = 20 * MINUTE_MS;
/**
 * A replaced key stays published until the last tokens and tickets it signed have expired, with a margin for clock
 * differences.
 */
const PUBLISHED_AFTER_REPLACEMENT_MS =
  Math.max(ACCESS_TOKEN_FORMAT.lifetime, OPERATOR_TOKEN_FORMAT.lifetime, CLOUD_TICKET.lifetime) * 1000 + MINUTE_MS;
/** Minimum time between two reloads, so that forged key ids do not cause a query each. */
const MIN_RELOAD_INTERVAL_MS = 2_000;

interface RingKey {
  /** 1 for the first key; each new key gets the next number. */
  generation: number;
  kid: string;
  /** Unix milliseconds. */
  signsFrom: number;
  publicJwk: JwkDto;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

/**
 * The Ed25519 keys that sign access tokens. The keys are stored in the database, encrypted with SECRET_KEY, so that all
 * replicas sign with the same key. Generations overlap: a key is published before it signs and until its last tokens
 * have expired.
 */
@Injectable()
export class KeyRingService implements OnModuleInit {
  private keys: RingKey[] = [];
  private loadedAt = Number.NEGATIVE_INFINITY;
  private pendingLoad?: Promise<void>;

  constructor(
    private readonly repository: SigningKeyRepository,
    private readonly secrets: AccountSecrets,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.reload();
    if (this.keys.length > 0) return;
    await this.createKey(1, Date.now());
    await this.reload();
  }

  /** The current signing key. */
  get current(): { kid: string; privateKey: CryptoKey } {
    const now = Date.now();
    const key = this.keys.findLast(({ signsFrom }) => signsFrom <= now) ?? this.keys[0];
    if (!key) throw new Error('The key ring is empty before the module has started');
    return key;
  }

  /** Every key that may have signed a valid token or will sign soon, as a JSON Web Key Set (RFC 7517). */
  get published(): JwksDto {
    return { keys: this.activeKeys().map((key) => key.publicJwk) };
  }

  /**
   * Finds the public key of a token for the verifier in the same process. An unknown key id is looked up in the
   * database, because another replica may have created the key.
   */
  readonly keySource: VerificationKeySource = async ({ kid }) => {
    const loaded = this.activeKeys().find((key) => key.kid === kid);
    if (loaded) return loaded.publicKey;
    if (Date.now() - this.loadedAt >= MIN_RELOAD_INTERVAL_MS) await this.reload();
    const found = this.activeKeys().find((key) => key.kid === kid);
    if (!found) throw new errors.JWKSNoMatchingKey();
    return found.publicKey;
  };

  /**
   * Creates the next key when the newest has signed for {@link KEY_SIGNING_PERIOD_MS}, and deletes keys that no valid
   * token needs. Runs on every replica.
   */
  @OnJob('userctx.accounts.rotate-keys', { intervalMs: MINUTE_MS })
  async rotate(): Promise<void> {
    const now = Date.now();
    const newest = this.keys.at(-1);
    if (newest && newest.signsFrom + KEY_SIGNING_PERIOD_MS <= now) {
      await this.createKey(newest.generation + 1, now + PUBLISHED_BEFORE_USE_MS);
    }
    const oldest = this.activeKeys()[0];
    if (oldest) await this.repository.removeBefore(oldest.generation);
    await this.reload();
  }

  /** Reloads the keys from the database. Concurrent callers share one query. */
  reload(): Promise<void> {
    this.pendingLoad ??= this.load().finally(() => (this.pendingLoad = undefined));
    return this.pendingLoad;
  }

  private async load(): Promise<void> {
    const records = await this.repository.findAll();
    const loaded = new Map(this.keys.map((key) => [key.kid, key]));
    this.keys = await Promise.all(
      records.map((record) => Promise.resolve(loaded.get(record.kid) ?? this.importRecord(record))),
    );
    this.loadedAt = Date.now();
  }

  /** Returns the keys whose tokens may still be valid, and the key that will sign next. */
  private activeKeys(): RingKey[] {
    const now = Date.now();
    return this.keys.filter((_, index) => {
      const successor = this.keys[index + 1];
      return !successor || successor.signsFrom + PUBLISHED_AFTER_REPLACEMENT_MS > now;
    });
  }

  private async createKey(generation: number, signsFrom: number): Promise<void> {
    const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const { x: publicKey = '', d = '' } = await exportJWK(pair.privateKey);
    const kid = `k${generation}-${randomBytes(4).toString('hex')}`;
    const sealedPrivateKey = this.secrets.signingKeyBox.seal(Buffer.from(d, 'base64url'), kid);
    await this.repository.insertIfAbsent({ generation, kid, publicKey, sealedPrivateKey, signsFrom });
  }

  private async importRecord({
    generation,
    kid,
    publicKey,
    sealedPrivateKey,
    signsFrom,
  }: SigningKeyEntity): Promise<RingKey> {
    const publicJwk: JwkDto = { kty: 'OKP', crv: 'Ed25519', x: publicKey, kid, alg: 'EdDSA', use: 'sig' };
    const d = this.decryptPrivateKey(sealedPrivateKey, kid).toString('base64url');
    return {
      generation,
      kid,
      signsFrom,
      publicJwk,
      publicKey: await importKey({ ...publicJwk }),
      privateKey: await importKey({ kty: 'OKP', crv: 'Ed25519', x: publicKey, d }),
    };
  }

  private decryptPrivateKey(sealed: Buffer, kid: string): Buffer {
    try {
      return this.secrets.signingKeyBox.open(sealed, kid);
    } catch (cause) {
      throw new Error('SECRET_KEY is not the one that the signing keys in the database were encrypted with', { cause });
    }
  }
}

/**
 * Imports a public or private key of the ring. The result is always a `CryptoKey`, because Ed25519 keys are never
 * symmetric.
 */
async function importKey(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, 'EdDSA')) as CryptoKey;
}
