import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { APP_VERSION_HEADER } from '@family-watch/domain/operators/contracts/app-release';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { Authenticator } from '../auth/authenticator.js';
// Adds `principal` to the type of Fastify's request.
import type {} from './caller.decorator.js';
import type { AppVersionGate } from './app-version-gate.js';
import type { RequestLimiter } from './request-limiter.js';
import { continueAsCaller } from '../concurrency/work-priority.js';
import {
  OPERATION_METADATA,
  operatorAccessOf,
  type OperationMetadata,
  type OperatorAccess,
} from './operation.decorator.js';
import { auditedFieldsOf, type OperatorGate } from './operator-gate.js';

/**
 * The global guard: authenticates the caller, limits the caller's requests, and checks that this kind of principal may
 * call the operation.
 */
export class AccessGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limiter: RequestLimiter,
    /** Absent if the application has no operations of operators. */
    private readonly operatorGate: OperatorGate | undefined,
    private readonly appVersions?: AppVersionGate,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const operation = Reflect.getMetadata(OPERATION_METADATA, context.getHandler()) as OperationMetadata | undefined;
    if (!operation) throw new ServiceError('FORBIDDEN');
    const http = context.switchToHttp();
    await this.authorize(operation, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }

  /** @throws ServiceError if the caller may not call the operation or is rate limited, or for a prefetch */
  async authorize(operation: OperationMetadata, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (operation.access === 'public') {
      this.limitAddress(operation, request, reply);
      return this.assertSupportedApp(operation, request);
    }
    if (isPrefetch(request)) throw new ServiceError('FORBIDDEN');
    const operatorAccess = operatorAccessOf(operation.access);
    if (operatorAccess) return this.admitOperator(operation, operatorAccess, request, reply);
    const principal = await this.authenticator.authenticate(request.headers.authorization);
    this.limiter.consume(operation.limit === 'file' ? 'file' : 'caller', principalKey(principal), reply);
    if (!isAllowed(operation.access, principal)) throw new ServiceError('FORBIDDEN');
    if (principal.type === 'user') await this.assertSupportedApp(operation, request);
    request.principal = principal;
    continueAsCaller(principalKey(principal), operation.isEmergency ? 'emergency' : 'caller');
  }

  /** @throws ServiceError APP_VERSION_UNSUPPORTED */
  private async assertSupportedApp(operation: OperationMetadata, { headers }: FastifyRequest): Promise<void> {
    const version = headers[APP_VERSION_HEADER];
    if (typeof version === 'string' && !operation.servesUnsupportedApps)
      await this.appVersions?.assertVersionSupported(version);
  }

  private async admitOperator(
    { id }: OperationMetadata,
    { operatorRoles, auditedFields = [] }: OperatorAccess,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (!this.operatorGate) throw new ServiceError('FORBIDDEN');
    const principal = await this.operatorGate.authenticate(request.headers.authorization);
    this.limiter.consume('caller', principalKey(principal), reply);
    continueAsCaller(principalKey(principal));
    const fields = auditedFieldsOf({ ...(request.query as object), ...(request.body as object) }, auditedFields);
    await this.operatorGate.admit(principal, { operation: id, operatorRoles, fields, ip: request.ip });
    request.principal = principal;
  }

  private limitAddress({ id, limit }: OperationMetadata, { ip }: FastifyRequest, reply: FastifyReply): void {
    if (limit === 'file' || limit === 'none') return;
    this.limiter.consumeAddress(limit ?? 'address', id, ip, reply);
  }
}

/**
 * Returns whether a browser loads the URL before a person opens it. DeleteChild is a GET that changes state
 * (specification 4.1).
 */
function isPrefetch({ headers }: FastifyRequest): boolean {
  return [headers['sec-purpose'], headers['purpose']].some((purpose) => String(purpose).startsWith('prefetch'));
}

function isAllowed(access: OperationMetadata['access'], { type }: Principal): boolean {
  return Array.isArray(access) && access.includes(type);
}
