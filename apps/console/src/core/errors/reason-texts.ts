import type { ApiError } from '@family-watch/client';
import en from '../languages/en.json';

/** Reasons that parents do not meet. The pages of operators have texts of their own, by `ReasonTextContext`. */
type ReasonOfOthers =
  | `FIRMWARE_${string}`
  | `ROLLOUT_${string}`
  | 'CALLBACK_INVALID'
  | 'DEPLOYMENT_NOT_FOUND'
  | 'ENROLMENT_NOT_LISTED'
  | 'IMEI_TAKEN'
  | 'LOGIN_NAME_TAKEN'
  | 'OPERATOR_NOT_FOUND'
  | 'PROOF_INVALID'
  | 'RELEASE_NOT_FOUND'
  | 'SIGNATURE_INVALID';

/** Reasons of requests that this page does not send. The text for unexpected errors contains the reason. */
type UnexpectedReason =
  | 'BODY_TOO_COMPLEX'
  | 'CLIENT_MSG_ID_REUSED'
  | 'DIGEST_MISMATCH'
  | 'FORBIDDEN'
  | 'HEADERS_TOO_LARGE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'INTERNAL'
  | 'MALFORMED_JSON'
  | 'MALFORMED_REQUEST'
  | 'MEDIA_TYPE_UNSUPPORTED'
  | 'METHOD_NOT_ALLOWED'
  | 'RANGE_NOT_SATISFIABLE'
  | 'ROUTE_NOT_FOUND'
  | 'TICKET_INVALID'
  | 'UNKNOWN'
  | 'UPGRADE_REQUIRED'
  | 'URI_TOO_LONG';

type ExplainedReason = Exclude<ApiError['reason'], ReasonOfOthers | UnexpectedReason>;

/** What a parent can understand and do. The type requires a text for each reason that the page can meet. */
const REASON_TEXTS: Readonly<Record<ExplainedReason, string>> = en.reasons;

export function isExplained(reason: string): reason is ExplainedReason {
  return reason in REASON_TEXTS;
}
