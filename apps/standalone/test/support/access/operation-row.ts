import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { Ids } from './ids.js';

/** What a request names and says; path parameters by their name. */
export interface RequestFields {
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  body?: object;
}

/** An outcome: success, or the reason of a refusal. */
export type Outcome = 'ok' | ErrorReason;

/** One operation of the access matrix that needs a token. */
export interface ProtectedRow {
  /** Who may call it; the others are refused whatever they name. */
  access: readonly ('user' | 'watch')[];
  /** A well-formed request about these ids. */
  request(ids: Ids): RequestFields;
  /** Each id that the request names, and what one that is foreign or unknown is answered. */
  refuses: Partial<Record<keyof Ids, Outcome>>;
  /** With the ids of the own family; success where nothing is said. */
  owner?: Outcome;
  guardian?: Outcome;
  watch?: Outcome;
  /** Success changes what other rows need: it is tried on a household of its own. */
  destroys?: true;
}

/** One operation that anybody may call: what is refused although no token was asked for. */
export interface PublicRow {
  access: 'public';
  cases: readonly { about: string; request(ids: Ids): RequestFields; outcome: Outcome }[];
}

export type OperationRow = ProtectedRow | PublicRow;
