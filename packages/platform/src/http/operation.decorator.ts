import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { ApiBearerAuth, ApiExtension, ApiExtraModels, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import type { OperatorRole } from '@family-watch/domain/operators/contracts/operator';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';

/**
 * Allowed callers of an operation: the listed kinds of principal, operators, or every client, without a token
 * (`public`).
 */
export type AllowedCallers = readonly Exclude<PrincipalType, 'operator'>[] | OperatorAccess | 'public';

/** Access to an operation of operators. The guard adds each request to the audit list before the operation acts. */
export interface OperatorAccess {
  /** The operator must have at least one of these roles. */
  operatorRoles: readonly [OperatorRole, ...OperatorRole[]];
  /** Fields of the request whose values the entry in the audit list contains; never a secret. */
  auditedFields?: readonly string[];
}

/** Returns the declared access of an operation of operators; undefined for other operations. */
export function operatorAccessOf(access: AllowedCallers): OperatorAccess | undefined {
  return typeof access === 'object' && 'operatorRoles' in access ? access : undefined;
}

/** Error format of an external protocol, for the routes that implement it. */
export interface ErrorFormat {
  schema: Type<unknown>;
  bodyOf(error: ServiceError): object;
}

/** Metadata of a route for the guard, the error filter and the API documents. */
export interface OperationMetadata {
  id: string;
  access: AllowedCallers;
  /** False if the response has no envelope although the surface has one (the bytes of a file). */
  hasEnvelope: boolean;
  /** Absent if errors have the usual format of the surface. */
  errorFormat?: ErrorFormat;
  /** See {@link OperationOptions.direct}. */
  direct?: true;
  /** See {@link OperationOptions.limit}. */
  limit?: OperationLimit;
  /** See {@link OperationOptions.rawBody}. */
  rawBody?: true;
  /** See {@link OperationOptions.isEmergency}. */
  isEmergency?: true;
  /** See {@link OperationOptions.servesUnsupportedApps}. */
  servesUnsupportedApps?: true;
}

/**
 * Rate limit of an operation. `file`: the operation reads or uploads a file; its requests count separately from other
 * requests. If such an operation is public, its service calls `RequestLimiter.consumeFileLink` instead of the guard.
 * `callback`: an external provider calls the operation; its requests count separately from those of people. `proof`: the
 * operation issues or checks the proof of a key or a token; its requests have a higher limit. `none`:
 * requests are not limited.
 */
export type OperationLimit = 'file' | 'callback' | 'proof' | 'none';

export interface OperationOptions {
  /** OpenAPI operation id; names the method of the SDK. */
  id: string;
  access: AllowedCallers;
  summary: string;
  description?: string;
  /** Class of the response body; absent means `{}`. */
  response?: Type<unknown>;
  /** Errors of this operation in addition to the errors that every operation can return. */
  errors?: readonly ErrorReason[];
  hasEnvelope?: boolean;
  errorFormat?: ErrorFormat;
  /**
   * `direct` is for operations with thousands of requests per second. The method is called with request and reply only,
   * bypasses the framework's pipes and interceptors, and sends the response itself. The guard, the rate limits and the
   * error handling apply to direct operations as well.
   */
  direct?: true;
  /**
   * Absent for the usual limits of requests per minute: all requests of an authenticated caller count together;
   * requests without a token count per IP address and operation.
   */
  limit?: OperationLimit;
  /** The body of the request is its bytes (`Buffer`), whatever its media type, because a signature covers the bytes. */
  rawBody?: true;
  /**
   * The operation is an SOS. Its requests have a share of the database connections that no other requests can occupy, and
   * are accepted whatever their body: members that cannot be read are omitted. All fields of the body must be optional.
   */
  isEmergency?: true;
  /**
   * The operation also serves apps that are older than the minimum version: a parent needs it during an SOS, to receive
   * alerts, or to upgrade.
   */
  servesUnsupportedApps?: true;
}

export const OPERATION_METADATA = 'family-watch:operation';

/**
 * Declares the allowed callers and the documentation of a route. The application does not start if a route lacks
 * `@Operation` (see `declaredRoutes`): access is denied by default.
 */
export function Operation(options: OperationOptions): MethodDecorator {
  const {
    id,
    access,
    hasEnvelope = true,
    errorFormat,
    direct,
    limit,
    rawBody,
    isEmergency,
    servesUnsupportedApps,
  } = options;
  const metadata: OperationMetadata = {
    id,
    access,
    hasEnvelope,
    ...(errorFormat ? { errorFormat } : {}),
    ...(direct ? { direct } : {}),
    ...(limit ? { limit } : {}),
    ...(rawBody ? { rawBody } : {}),
    ...(isEmergency ? { isEmergency } : {}),
    ...(servesUnsupportedApps ? { servesUnsupportedApps } : {}),
  };
  const errorSchema = errorFormat?.schema;
  return applyDecorators(
    SetMetadata(OPERATION_METADATA, metadata),
    RouteConfig({ operation: metadata }),
    HttpCode(200),
    ApiOperation({ operationId: options.id, summary: options.summary, description: options.description }),
    ApiExtension('x-family-watch', {
      access,
      errors: options.errors ?? [],
      ...(errorSchema ? { errorSchema: errorSchema.name } : {}),
    }),
    ...(errorSchema ? [ApiExtraModels(errorSchema)] : []),
    ...(metadata.hasEnvelope ? [ApiOkResponse({ type: options.response ?? EmptyDto })] : []),
    ...(options.access === 'public' ? [] : [ApiBearerAuth()]),
  );
}

/** Returns the operation of the request's route; undefined if no route matches. */
export function operationOf({ routeOptions }: FastifyRequest): OperationMetadata | undefined {
  return (routeOptions?.config as { operation?: OperationMetadata } | undefined)?.operation;
}
