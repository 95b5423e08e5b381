import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { errors, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import type { JwkDto, JwksDto } from '@family-watch/domain/accounts/dto/jwks.dto';
import type { SigningKeyEntity } from '@family-watch/domain/accounts/entities/signing-key.entity';
import { CLOUD_TICKET } from '@family-watch/domain/family-cloud/contracts/ticket';
import { ACCESS_TOKEN } from '@family-watch/platform/auth/token-verifier';
import type { VerificationKeySource } from '@family-watch/platform/auth/token-verifier';
import { AccountSecrets } from '../account-secrets.js';
import { SigningKeyRepository } from './signing-key.repository.js';

const MINUTE_MS = 60_000;
/** How long a key signs. */
const KEY_PERIOD_MS = 30 * 24 * 60 * MINUTE_MS;
/** A new key is published this long before it signs: longer than verifiers and proxies keep an old key set. */
const PUBLISHED_AHEAD_MS = 20 * MINUTE_MS;
/** A key stays published for the last tokens and tickets it signed, and for clocks that differ a little. */
const PUBLISHED_AFTER_MS = Math.max(ACCESS_TOKEN.lifetime, CLOUD_TICKET.lifetime) * 1000 + MINUTE_MS;
/** Forged key ids must not become queries. */
const MIN_RELOAD_PAUSE_MS = 2_000;

interface RingKey {
  generation: number;
  kid: string;
  signsFrom: number;
  publicJwk: JwkDto;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

/**
 * The Ed25519 keys that sign access tokens. They live in the database, encrypted by SECRET_KEY, so that replicas sign
 * with the same one. Generations overlap: the next is published before it signs, the last until its tokens expired.
 */
@Injectable()
export class KeyRingService implements OnModuleInit {
  private keys: RingKey[] = [];
  private loadedAt = Number.NEGATIVE_INFINITY;
  private loading?: Promise<void>;

  constructor(
    private readonly repository: SigningKeyRepository,
    private readonly secrets: AccountSecrets,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.reload();
    if (this.keys.length > 0) return;
    await this.make(1, Date.now());
    await this.reload();
  }

  /** The key that signs now. */
  get current(): { kid: string; privateKey: CryptoKey } {
    const now = Date.now();
    const key = this.keys.findLast(({ signsFrom }) => signsFrom <= now) ?? this.keys[0];
    if (!key) throw new Error('The key ring is empty before the module has started');
    return key;
  }

  /** Every key that tokens may be signed with now or soon (RFC 7517). */
  get published(): JwksDto {
    return { keys: this.standing().map((key) => key.publicJwk) };
  }

  /** For the verifier in the same process; another replica's new key is looked up in the database. */
  readonly keySource: VerificationKeySource = async ({ kid }) => {
    const known = this.standing().find((key) => key.kid === kid);
    if (known) return known.publicKey;
    if (Date.now() - this.loadedAt >= MIN_RELOAD_PAUSE_MS) await this.reload();
    const found = this.standing().find((key) => key.kid === kid);
    if (!found) throw new errors.JWKSNoMatchingKey();
    return found.publicKey;
  };

  /** Makes the next generation when its time has come, and forgets keys that no token needs; safe on every replica. */
  async rotate(): Promise<void> {
    const now = Date.now();
    const newest = this.keys.at(-1);
    if (newest && newest.signsFrom + KEY_PERIOD_MS <= now) {
      await this.make(newest.generation + 1, now + PUBLISHED_AHEAD_MS);
    }
    const oldest = this.standing()[0];
    if (oldest) await this.repository.removeBefore(oldest.generation);
    await this.reload();
  }

  /** Reads the ring; callers at the same time share one reading. */
  reload(): Promise<void> {
    this.loading ??= this.load().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async load(): Promise<void> {
    const records = await this.repository.findAll();
    const known = new Map(this.keys.map((key) => [key.kid, key]));
    this.keys = await Promise.all(records.map((record) => Promise.resolve(known.get(record.kid) ?? this.open(record))));
    this.loadedAt = Date.now();
  }

  /** A key stands until the tokens of its time have expired. */
  private standing(): RingKey[] {
    const now = Date.now();
    return this.keys.filter((_, index) => {
      const successor = this.keys[index + 1];
      return !successor || successor.signsFrom + PUBLISHED_AFTER_MS > now;
    });
  }

  private async make(generation: number, signsFrom: number): Promise<void> {
    const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const { x: publicKey = '', d = '' } = await exportJWK(pair.privateKey);
    const kid = `k${generation}-${randomBytes(4).toString('hex')}`;
    const sealedPrivateKey = this.secrets.signingKeys.seal(Buffer.from(d, 'base64url'), kid);
    await this.repository.insertIfAbsent({ generation, kid, publicKey, sealedPrivateKey, signsFrom });
  }

  private async open({ generation, kid, publicKey, sealedPrivateKey, signsFrom }: SigningKeyEntity): Promise<RingKey> {
    const publicJwk: JwkDto = { kty: 'OKP', crv: 'Ed25519', x: publicKey, kid, alg: 'EdDSA', use: 'sig' };
    const d = this.openPrivateKey(sealedPrivateKey, kid).toString('base64url');
    return {
      generation,
      kid,
      signsFrom,
      publicJwk,
      publicKey: await importKey({ ...publicJwk }),
      privateKey: await importKey({ kty: 'OKP', crv: 'Ed25519', x: publicKey, d }),
    };
  }

  private openPrivateKey(sealed: Buffer, kid: string): Buffer {
    try {
      return this.secrets.signingKeys.open(sealed, kid);
    } catch (cause) {
      throw new Error('SECRET_KEY is not the one that the signing keys in the database were encrypted with', { cause });
    }
  }
}

/** A public or a private key of the ring; the curve has no symmetric ones. */
async function importKey(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, 'EdDSA')) as CryptoKey;
}
