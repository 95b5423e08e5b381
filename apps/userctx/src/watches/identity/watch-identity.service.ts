import { randomBytes, generateKeyPairSync, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  enrolmentSigningPayload,
  manufacturerSigningPayload,
  tokenSigningPayload,
  type Challenge,
} from '@family-watch/domain/watches/contracts/watch';
import type {
  EnrolRequestDto,
  TokenCreateRequestDto,
  WatchTokenDto,
} from '@family-watch/domain/watches/dto/enrolment.dto';
import type { WatchEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { ACCESS_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { continueAsCaller } from '@family-watch/platform/concurrency/work-priority';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { TokenSigner } from '../../accounts/keys/token-signer.js';
import { RevocationService } from '../../accounts/sessions/revocation.service.js';
import { WatchBindingRepository } from '../binding/watch-binding.repository.js';
import { WatchBindingService } from '../binding/watch-binding.service.js';
import { WatchRepository } from '../watch.repository.js';
import { isSignedBy, parsePublicKey } from './ed25519.js';
import { WatchNonces, type VerifiedNonce } from './watch-nonces.js';

const DID_BITS = 53n;
const EXPIRY_INTERVAL_MS = 60_000;
const EXPIRY_BATCH_SIZE = 1_000;
/** Time without contact after which an unbound watch is deleted: a day. Milliseconds. */
export const UNBOUND_WATCH_RETENTION_MS = 86_400_000;

/**
 * Public key with which the signature of an unknown watch is checked, so that its rejection takes as long as the
 * rejection of a wrong signature.
 */
const DUMMY_KEY = Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');

/** Maximum time between the check of a key and the signing of its token. */
const TOKEN_ISSUE_WINDOW_MS = 60_000;

/**
 * Enrols watches: a watch proves possession of a key, and the key is permanently assigned a `did`. Issues access tokens
 * to watches that sign a fresh nonce with the key of their `did`, and revokes the keys of watches that are lost or
 * whose key is compromised.
 */
@Injectable()
export class WatchIdentityService {
  /** Names this service in the texts that watches sign, so that signatures for another service are rejected. */
  readonly audience: string;
  private readonly requiresListing: boolean;

  constructor(
    @Inject(Environment) environment: Pick<Environment, 'NODE_ENV' | 'PUBLIC_URL' | 'WATCH_ENROLMENT'>,
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly secrets: WatchNonces,
    private readonly watches: WatchRepository,
    private readonly bindings: WatchBindingRepository,
    private readonly bindingService: WatchBindingService,
    private readonly signer: TokenSigner,
    private readonly revocations: RevocationService,
    private readonly limiter: RequestLimiter,
  ) {
    this.audience = environment.PUBLIC_URL ?? ACCESS_TOKEN_FORMAT.audience;
    const mode = environment.WATCH_ENROLMENT ?? (environment.NODE_ENV === 'production' ? 'list' : 'open');
    this.requiresListing = mode === 'list';
  }

  /** @throws ServiceError VALIDATION_FAILED for an invalid key */
  challengeEnrolment(publicKey: string): Challenge {
    parseKey(publicKey);
    return { nonce: this.secrets.issueNonce('enrol', publicKey), audience: this.audience };
  }

  /**
   * Enrols the key and returns its `did`. A nonce is accepted once, because model and firmware version are not signed
   * and a replay could change them.
   * @throws ServiceError VALIDATION_FAILED, PROOF_INVALID, ENROLMENT_NOT_LISTED
   * @throws ServiceError CONFLICT if a bound watch reports another IMEI than the one it was bound with
   */
  async enrol(request: EnrolRequestDto): Promise<number> {
    const key = parseKey(request.publicKey);
    const nonce = this.secrets.verifyNonce('enrol', request.publicKey, request.nonce);
    const text = enrolmentSigningPayload({ audience: this.audience, nonce: request.nonce }, request.imei);
    if (!nonce || !isSignedBy(key, text, request.proof)) throw new ServiceError('PROOF_INVALID');
    if (this.requiresListing) await this.assertListed(request);
    return this.unitOfWork.run(() => this.storeWatch(key, nonce, request));
  }

  /** Issues a nonce for a token without a lookup, so that an unknown `did` gets the same response. */
  challengeToken(did: number): Challenge {
    return { nonce: this.secrets.issueNonce('token', String(did)), audience: this.audience };
  }

  /**
   * Issues an access token. A nonce is valid for one token, so replays are rejected. Sign-ins with a genuine signature
   * are limited per watch, and get their database connections as the watch instead of its address.
   * @throws ServiceError SIGNATURE_INVALID for an unknown or revoked watch, an invalid nonce and a wrong signature
   * @throws ServiceError RATE_LIMITED
   */
  async createToken({ did, nonce, signature }: TokenCreateRequestDto): Promise<WatchTokenDto> {
    const verifiedNonce = this.secrets.verifyNonce('token', String(did), nonce);
    const watch = await this.watches.find(did);
    const text = tokenSigningPayload({ audience: this.audience, nonce }, did);
    const signed = isSignedBy(watch?.publicKey ?? DUMMY_KEY, text, signature);
    if (!watch || !verifiedNonce || !signed) throw new ServiceError('SIGNATURE_INVALID');
    this.limiter.consume('sign-in', `watch:${did}`);
    continueAsCaller(`watch:${did}`, 'known-device');
    await this.unitOfWork.run(async () => {
      const isUnused = await this.watches.markNonceUsed(verifiedNonce);
      // The watch may have been revoked or deleted since it was read.
      const isActive = isUnused && (await this.watches.recordContact(did, Date.now()));
      if (!isActive) throw new ServiceError('SIGNATURE_INVALID');
    });
    return this.signer.signAccessToken({ type: 'watch', id: String(did), sessionId: randomUUID() });
  }

  /**
   * Revokes the key of the watch, ends the watch's tokens and sockets, and unbinds the watch. Cannot be undone: a watch
   * that is found again must enrol a new key.
   * @throws ServiceError WATCH_NOT_FOUND, also for a watch that is already revoked
   */
  async revokeKey(did: number, by: PrincipalKey): Promise<void> {
    await this.unitOfWork.run(async () => {
      // The watch is unbound first, because unbinding locks the family, and families are locked before watches.
      await this.bindingService.endBindingOfWatch(did, by);
      if (!(await this.watches.revoke(did, Date.now()))) throw new ServiceError('WATCH_NOT_FOUND');
      // The watch may have been bound again before the revocation. A revoked watch cannot be bound.
      await this.bindingService.endBindingOfWatch(did, by);
      await this.revocations.record([{ principal: `watch:${did}` }], Date.now() + TOKEN_ISSUE_WINDOW_MS);
    });
  }

  /**
   * Deletes expired nonces and unbound watches.
   * @returns the number of deleted watches that were unbound and had no contact for a day
   */
  @OnJob('userctx.watches.delete-expired', { intervalMs: EXPIRY_INTERVAL_MS })
  async deleteExpired(now: number): Promise<number> {
    await this.watches.deleteExpiredNonces(now);
    let total = 0;
    for (let deleted = EXPIRY_BATCH_SIZE; deleted === EXPIRY_BATCH_SIZE; total += deleted)
      deleted = await this.watches.deleteUnbound(now - UNBOUND_WATCH_RETENTION_MS, EXPIRY_BATCH_SIZE);
    return total;
  }

  /**
   * @throws ServiceError ENROLMENT_NOT_LISTED for an unlisted watch and for an invalid signature of the manufacturer
   */
  private async assertListed({ imei, publicKey, makerSignature }: EnrolRequestDto): Promise<void> {
    const entry = await this.watches.findListEntry(imei);
    if (!entry || !isSignedBy(entry.makerKey, manufacturerSigningPayload(imei, publicKey), makerSignature ?? ''))
      throw new ServiceError('ENROLMENT_NOT_LISTED');
  }

  private async storeWatch(key: Buffer, nonce: VerifiedNonce, request: EnrolRequestDto): Promise<number> {
    if (!(await this.watches.markNonceUsed(nonce))) throw new ServiceError('PROOF_INVALID');
    const watch = (await this.watches.findByKey(key)) ?? (await this.add(key, request));
    if (!(await this.watches.recordContact(watch.did, Date.now()))) throw new ServiceError('PROOF_INVALID');
    const binding = await this.bindings.findActive(watch.did);
    if (binding && binding.imei !== request.imei) throw new ServiceError('CONFLICT');
    const { imei, model, firmwareVersion } = request;
    await this.watches.updateDetails(watch.did, { imei, model, firmwareVersion });
    return watch.did;
  }

  private async add(publicKey: Buffer, { imei, model, firmwareVersion }: EnrolRequestDto): Promise<WatchEntity> {
    for (;;) {
      const now = Date.now();
      const watch: WatchEntity = {
        did: randomDid(),
        publicKey,
        imei,
        model,
        firmwareVersion,
        enrolledAt: now,
        lastContactAt: now,
        revokedAt: null,
      };
      if (await this.watches.add(watch)) return watch;
      // Either the same key was enrolled concurrently, or the `did` is taken.
      const existing = await this.watches.findByKey(publicKey);
      if (existing) return existing;
    }
  }
}

/**
 * Returns a random positive integer that JSON numbers represent exactly. A random `did` reveals neither order nor count
 * of watches.
 */
export function randomDid(): number {
  for (;;) {
    const did = BigInt.asUintN(Number(DID_BITS), randomBytes(8).readBigUInt64BE());
    if (did > 0n) return Number(did);
  }
}

function parseKey(publicKey: string): Buffer {
  const key = parsePublicKey(publicKey);
  if (key) return key;
  throw validationError('publicKey', 'isPublicKey', 'publicKey must be a canonical Ed25519 key');
}
