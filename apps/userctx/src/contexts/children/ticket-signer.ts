import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { CLOUD_TICKET } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { CloudTicketClaims } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { KeyRingService } from '../accounts/keys/key-ring.service.js';

/**
 * Signs cloud tickets with a key that verifiers find in the JWKS. Audience and type distinguish tickets from access
 * tokens.
 */
@Injectable()
export class TicketSigner {
  constructor(private readonly keyRing: KeyRingService) {}

  sign(claims: CloudTicketClaims): Promise<string> {
    const { kid, privateKey } = this.keyRing.current;
    const seconds = Math.floor(Date.now() / 1000);
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: CLOUD_TICKET.algorithm, typ: CLOUD_TICKET.type, kid })
      .setIssuer(CLOUD_TICKET.issuer)
      .setAudience(CLOUD_TICKET.audience)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + CLOUD_TICKET.lifetime)
      .sign(privateKey);
  }
}
