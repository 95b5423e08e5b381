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

/** Maximum length of the value of a field in the audit list. */
const MAX_AUDITED_LENGTH = 128;

/**
 * Returns fields of a request or a command as text, for the audit list. They are not validated yet, so values are cut and
 * other types are left out.
 */
export function auditedFieldsOf(
  request: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(request, name) ? request[name] : undefined;
    const text = Array.isArray(value) ? describeList(value) : toText(value);
    if (text !== undefined) fields[name] = text.slice(0, MAX_AUDITED_LENGTH).replaceAll('\0', '').toWellFormed();
  }
  return fields;
}

/** Returns all items of a short list of texts, and the number of items of another list. */
function describeList(items: readonly unknown[]): string {
  const texts = items.slice(0, MAX_AUDITED_LENGTH).map(toText);
  const list = texts.join(',');
  const isShort = items.length <= MAX_AUDITED_LENGTH && list.length <= MAX_AUDITED_LENGTH;
  return isShort && !texts.includes(undefined) ? list : `${items.length} items`;
}

function toText(value: unknown): string | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? String(value) : undefined;
}
