import { Injectable } from '@nestjs/common';
import { SignJWT, type JWTPayload } from 'jose';
import { CLOUD_TICKET, type CloudTicketClaims } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { DATA_EXPORT_TICKET, type DataExportTicketClaims } from '@family-watch/domain/privacy/contracts/data-export';
import { FIRMWARE_TICKET, type FirmwareTicketClaims } from '@family-watch/domain/watches/contracts/firmware';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ACCESS_TOKEN_FORMAT, OPERATOR_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import { KeyRingService } from './key-ring.service.js';

export interface SignedAccessToken {
  accessToken: string;
  tokenType: 'Bearer';
  /** Seconds. */
  expiresIn: number;
}

/**
 * Signs access tokens and tickets with the current key. Audience and type distinguish tickets from access tokens.
 */
@Injectable()
export class TokenSigner {
  constructor(private readonly keyRing: KeyRingService) {}

  /** Signs the access token of any kind of principal. The format of the token depends on the kind of principal. */
  async signAccessToken(principal: Principal): Promise<SignedAccessToken> {
    const format = principal.type === 'operator' ? OPERATOR_TOKEN_FORMAT : ACCESS_TOKEN_FORMAT;
    const { kid, privateKey } = this.keyRing.current;
    const now = Date.now();
    const seconds = Math.floor(now / 1000);
    // The time of issue has milliseconds, to distinguish a revocation from a new sign-in within the same second.
    const accessToken = await new SignJWT({ sid: principal.sessionId, iat_ms: now })
      .setProtectedHeader({ alg: format.algorithm, typ: format.type, kid })
      .setSubject(principalKey(principal))
      .setIssuer(format.issuer)
      .setAudience(format.audience)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + format.lifetime)
      .sign(privateKey);
    return { accessToken, tokenType: 'Bearer', expiresIn: format.lifetime };
  }

  /** Signs a cloud ticket with a key that verifiers find in the JWKS. */
  signTicket(claims: CloudTicketClaims): Promise<string> {
    return this.sign({ ...claims }, CLOUD_TICKET);
  }

  /** Signs a ticket for the upload or download of a firmware image, like a cloud ticket. */
  signFirmwareTicket(claims: FirmwareTicketClaims): Promise<string> {
    return this.sign({ ...claims }, FIRMWARE_TICKET);
  }

  /** Signs a ticket for the download of the archive of an export, like a cloud ticket. */
  signDataExportTicket(claims: DataExportTicketClaims): Promise<string> {
    return this.sign({ ...claims }, DATA_EXPORT_TICKET);
  }

  private sign(
    claims: JWTPayload,
    format: typeof CLOUD_TICKET | typeof FIRMWARE_TICKET | typeof DATA_EXPORT_TICKET,
  ): Promise<string> {
    const { kid, privateKey } = this.keyRing.current;
    const seconds = Math.floor(Date.now() / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: format.algorithm, typ: format.type, kid })
      .setIssuer(format.issuer)
      .setAudience(format.audience)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + format.lifetime)
      .sign(privateKey);
  }
}
