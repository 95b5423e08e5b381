import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/**
 * Roles of operators. SUPPORT: states and counts of families, and suspension of accounts. FLEET: enrolment list and
 * watches. BILLING: orders. ADMIN: operators, the audit list and the event bus. A role permits only the operations that
 * name the role.
 */
export const OPERATOR_ROLE = { SUPPORT: 'SUPPORT', FLEET: 'FLEET', BILLING: 'BILLING', ADMIN: 'ADMIN' } as const;
export type OperatorRole = (typeof OPERATOR_ROLE)[keyof typeof OPERATOR_ROLE];

/** Name with which an operator signs in: 3 to 32 characters. */
export const LOGIN_NAME_PATTERN = /^[a-z][a-z0-9._-]{2,31}$/;

/** Actor in the audit list for commands that were run on the server; other actors are `operator:<id>`. */
export const COMMAND_LINE_ACTOR = 'command-line';

/** {@link COMMAND_LINE_ACTOR} as the principal that caused a change, in events and rows. */
export const COMMAND_LINE_PRINCIPAL: PrincipalKey = `operator:${COMMAND_LINE_ACTOR}`;
