import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ACCESS_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import { KeyRingService } from './key-ring.service.js';

export interface SignedAccessToken {
  accessToken: string;
  tokenType: 'Bearer';
  /** Seconds. */
  expiresIn: number;
}

/** Signs the access tokens of every kind of principal. `ACCESS_TOKEN_FORMAT` defines their contents. */
@Injectable()
export class AccessTokenSigner {
  constructor(private readonly keyRing: KeyRingService) {}

  async sign(principal: Principal): Promise<SignedAccessToken> {
    const { kid, privateKey } = this.keyRing.current;
    const now = Date.now();
    const seconds = Math.floor(now / 1000);
    // The time of issue has milliseconds, to distinguish a revocation from a new sign-in within the same second.
    const accessToken = await new SignJWT({ sid: principal.sessionId, iat_ms: now })
      .setProtectedHeader({ alg: ACCESS_TOKEN_FORMAT.algorithm, typ: ACCESS_TOKEN_FORMAT.type, kid })
      .setSubject(principalKey(principal))
      .setIssuer(ACCESS_TOKEN_FORMAT.issuer)
      .setAudience(ACCESS_TOKEN_FORMAT.audience)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + ACCESS_TOKEN_FORMAT.lifetime)
      .sign(privateKey);
    return { accessToken, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_FORMAT.lifetime };
  }
}
