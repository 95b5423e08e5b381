import { Injectable } from '@nestjs/common';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { OPERATOR_TOKEN_FORMAT, TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { OperatorGate, type OperatorRequest } from '@family-watch/platform/http/operator-gate';
import { KeyRingService } from '../accounts/keys/key-ring.service.js';
import { AuditService } from './audit.service.js';
import { OperatorRepository } from './operator.repository.js';

/** Admits operators by their session and roles, and adds each of their requests to the audit list. */
@Injectable()
export class OperatorGateService extends OperatorGate {
  private readonly verifier: TokenVerifier;

  constructor(
    keyRing: KeyRingService,
    private readonly operators: OperatorRepository,
    private readonly audit: AuditService,
  ) {
    super();
    this.verifier = new TokenVerifier((...token) => keyRing.keySource(...token), Date.now, OPERATOR_TOKEN_FORMAT);
  }

  async authenticate(authorization: string | undefined): Promise<Principal> {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token) throw new ServiceError('TOKEN_MISSING');
    return (await this.verifier.verify(token)).principal;
  }

  async admit(principal: Principal, { operation, operatorRoles, fields, ip }: OperatorRequest): Promise<void> {
    const { id: operatorId, sessionId } = principal;
    // Roles and suspension are read for each request, so that a change applies to the next request.
    const operator = await this.operators.findByActiveSession(operatorId, sessionId, Date.now());
    const admitted = operator !== null && operator.roles.some((role) => operatorRoles.includes(role));
    const entry = { actor: principalKey(principal), sessionId, operation, fields: { ...fields }, admitted, ip };
    await this.audit.append(entry);
    if (!operator) throw new ServiceError('TOKEN_REVOKED');
    if (!admitted) throw new ServiceError('FORBIDDEN');
  }
}
