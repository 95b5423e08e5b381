import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { OperatorRole } from '@family-watch/domain/operators/contracts/operator';

/** A request of an operator, before it is validated. */
export interface OperatorRequest {
  /** Id of the operation. */
  operation: string;
  operatorRoles: readonly OperatorRole[];
  /** The fields of the request that its entry in the audit list contains. */
  fields: Readonly<Record<string, string>>;
  ip: string;
}

/**
 * Admits operators to their operations. The app with operations of operators provides this class, and the access guard
 * calls it for every request of these operations, so that no operation can omit the role check or the audit list.
 */
export abstract class OperatorGate {
  /**
   * Verifies the token of an operator without a query.
   * @throws ServiceError TOKEN_MISSING, TOKEN_INVALID (401), or OVERLOADED (503)
   */
  abstract authenticate(authorization: string | undefined): Promise<Principal>;

  /**
   * Adds the request to the audit list, whether or not it is admitted. Resolves after the entry is committed.
   * @throws ServiceError TOKEN_REVOKED if the session has ended, FORBIDDEN without one of the roles
   */
  abstract admit(operator: Principal, request: OperatorRequest): Promise<void>;
}
