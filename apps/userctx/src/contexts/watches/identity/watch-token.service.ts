import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { tokenSigningPayload } from '@family-watch/domain/watches/contracts/watch';
import type { Challenge } from '@family-watch/domain/watches/contracts/watch';
import type { TokenCreateRequestDto, WatchTokenDto } from '@family-watch/domain/watches/dto/enrolment.dto';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { TokenSigner } from '../../accounts/keys/token-signer.js';
import { RevocationService } from '../../accounts/sessions/revocation.service.js';
import { WatchBindingService } from '../binding/watch-binding.service.js';
import { WatchRepository } from '../watch.repository.js';
import { isSignedBy } from './ed25519.js';
import { EnrolmentRepository } from './enrolment.repository.js';
import { EnrolmentService } from './enrolment.service.js';
import { WatchSecrets } from './watch-secrets.js';

/**
 * Public key that is checked for an unknown watch, so that the rejection takes as long as that of a wrong signature.
 */
const DUMMY_KEY = Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');

/** Maximum time between the check of a key and the signing of its token. */
const TOKEN_ISSUE_WINDOW_MS = 60_000;

/**
 * Issues access tokens to watches that sign a fresh nonce with the key of their `did`, and revokes the keys of watches
 * that are lost or whose key is compromised.
 */
@Injectable()
export class WatchTokenService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly enrolment: EnrolmentService,
    private readonly secrets: WatchSecrets,
    private readonly enrolments: EnrolmentRepository,
    private readonly watches: WatchRepository,
    private readonly signer: TokenSigner,
    private readonly bindings: WatchBindingService,
    private readonly revocations: RevocationService,
  ) {}

  /** Issues a nonce without a lookup, so that an unknown `did` gets the same response. */
  challenge(did: number): Challenge {
    return { nonce: this.secrets.issueNonce('token', String(did)), audience: this.enrolment.audience };
  }

  /**
   * Issues a token. A nonce is valid for one token, so replays are rejected.
   * @throws ServiceError SIGNATURE_INVALID, whatever the reason.
   */
  async create({ did, nonce, signature }: TokenCreateRequestDto): Promise<WatchTokenDto> {
    const verifiedNonce = this.secrets.verifyNonce('token', String(did), nonce);
    const watch = await this.watches.find(did);
    const text = tokenSigningPayload({ audience: this.enrolment.audience, nonce }, did);
    const signed = isSignedBy(watch?.publicKey ?? DUMMY_KEY, text, signature);
    if (!watch || !verifiedNonce || !signed) throw new ServiceError('SIGNATURE_INVALID');
    await this.unitOfWork.run(async () => {
      const fresh = await this.enrolments.markNonceUsed(verifiedNonce);
      // The watch may have been revoked or deleted since it was read.
      if (!fresh || !(await this.watches.recordContact(did, Date.now()))) throw new ServiceError('SIGNATURE_INVALID');
    });
    return this.signer.signAccessToken({ type: 'watch', id: String(did), sessionId: randomUUID() });
  }

  /**
   * Revokes the key, ends its tokens and sockets, and unbinds the watch. Cannot be undone: a watch that is found again
   * enrols a new key.
   * @throws ServiceError WATCH_NOT_FOUND, also for a watch that is already revoked.
   */
  async revokeKey(did: number, by: PrincipalKey): Promise<void> {
    await this.unitOfWork.run(async () => {
      // The watch is unbound first, because unbinding locks the family, and families are locked before watches.
      await this.bindings.endBindingOfWatch(did, by);
      if (!(await this.watches.revoke(did, Date.now()))) throw new ServiceError('WATCH_NOT_FOUND');
      // The watch may have been bound again before the revocation. A revoked watch cannot be bound.
      await this.bindings.endBindingOfWatch(did, by);
      await this.revocations.record([{ principal: `watch:${did}` }], Date.now() + TOKEN_ISSUE_WINDOW_MS);
    });
  }
}
