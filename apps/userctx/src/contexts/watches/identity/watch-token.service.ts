import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { tokenSigningPayload } from '@family-watch/domain/watches/contracts/watch';
import type { Challenge } from '@family-watch/domain/watches/contracts/watch';
import type { TokenCreateRequestDto, WatchTokenDto } from '@family-watch/domain/watches/dto/enrolment.dto';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { TokenSigner } from '../../accounts/keys/token-signer.js';
import { WatchRepository } from '../watch.repository.js';
import { isSignedBy } from './ed25519.js';
import { EnrolmentService } from './enrolment.service.js';
import { UsedNonceRepository } from './used-nonce.repository.js';
import { WatchSecrets } from './watch-secrets.js';

/**
 * Public key that is checked for an unknown watch, so that the rejection takes as long as that of a wrong signature.
 */
const DUMMY_KEY = Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');

/** Issues access tokens to watches that sign a fresh nonce with the key of their `did`. */
@Injectable()
export class WatchTokenService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly enrolment: EnrolmentService,
    private readonly secrets: WatchSecrets,
    private readonly nonces: UsedNonceRepository,
    private readonly watches: WatchRepository,
    private readonly signer: TokenSigner,
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
      const fresh = await this.nonces.markUsed(verifiedNonce);
      // The watch may have been revoked or deleted since it was read.
      if (!fresh || !(await this.watches.recordContact(did, Date.now()))) throw new ServiceError('SIGNATURE_INVALID');
    });
    return this.signer.signAccessToken({ type: 'watch', id: String(did), sessionId: randomUUID() });
  }
}
