import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { Ids } from './ids.js';

/** Path parameters, query parameters and body of a request. */
export interface RequestFields {
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  body?: object;
}

/** Expected outcome: success, or the reason of the error. */
export type Outcome = 'ok' | ErrorReason;

/** One row of the access matrix: an operation that requires a token. */
export interface ProtectedRow {
  /** Permitted kinds of callers. Other kinds of callers are rejected, whatever ids they send. */
  callerKinds: readonly ('user' | 'watch')[];
  /** Creates a well-formed request with these ids. */
  request(ids: Ids): RequestFields;
  /** Expected outcome for each id in the request, when the id is foreign or unknown. */
  rejections: Partial<Record<keyof Ids, Outcome>>;
  /** Outcomes of the owner, guardian and watch with the ids of their own family; success by default. */
  owner?: Outcome;
  guardian?: Outcome;
  watch?: Outcome;
  /** Outcome of a caregiver with the ids of its family; by default the outcome of a guardian. */
  caregiver?: Outcome;
  /**
   * Outcome of a contact of the child. By default, the ids of the child's family are unknown to a contact, or the contact
   * lacks the permission.
   */
  contact?: Outcome;
  /** True if a successful request changes data that other rows need. The row is then checked with a separate family. */
  needsSeparateFamily?: true;
}

/** One row of the access matrix: an operation that requires no token, and its cases with test titles. */
export interface PublicRow {
  callerKinds: 'public';
  cases: readonly { title: string; request(ids: Ids): RequestFields; outcome: Outcome }[];
}

export type OperationRow = ProtectedRow | PublicRow;
