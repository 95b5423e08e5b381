/**
 * Every error the service answers, once. `code` = HTTP status × 1000 + a number that is never given twice;
 * it is the same on every surface, and `reason` is the name that clients may rely on (specification 7).
 */
export const ERROR_CATALOGUE = {
  VALIDATION_FAILED: { code: 400001, message: 'The request breaks a rule of this operation.' },
  MALFORMED_JSON: { code: 400002, message: 'The body is not valid JSON.' },
  BODY_TOO_COMPLEX: { code: 400003, message: 'The body is nested too deeply or has too many members.' },
  CODE_INVALID: { code: 400004, message: 'The code is wrong, used up or expired.' },
  PASSWORD_TOO_WEAK: { code: 400005, message: 'This password is too easy to guess.' },
  PROOF_INVALID: { code: 400006, message: 'The proof does not fit the key, the nonce and the claims.' },
  BIND_CODE_INVALID: { code: 400007, message: 'The bind code or its confirmation is wrong, used up or expired.' },
  INVITATION_INVALID: { code: 400008, message: 'The invitation is unknown, used, cancelled or expired.' },
  MALFORMED_REQUEST: { code: 400009, message: 'The request cannot be understood.' },
  CLOUD_TYPE_UNSUPPORTED: { code: 400010, message: 'This cloudType or catalogType is not supported.' },
  DIGEST_MISMATCH: { code: 400011, message: 'The bytes that arrived are not the ones that were announced.' },
  PUSH_TOKEN_INVALID: { code: 400012, message: 'This push token is unknown or cannot be used here.' },

  TOKEN_MISSING: { code: 401001, message: 'A Bearer token is needed.' },
  TOKEN_INVALID: { code: 401002, message: 'The token is not genuine or has expired.' },
  TOKEN_REVOKED: { code: 401003, message: 'The session of this token has ended.' },
  CREDENTIALS_INVALID: { code: 401004, message: 'The phone number, password or code is wrong.' },
  REFRESH_TOKEN_INVALID: { code: 401005, message: 'The refresh token is unknown, used or expired.' },
  SIGNATURE_INVALID: { code: 401006, message: 'The signature does not fit the watch and the nonce.' },

  FORBIDDEN: { code: 403001, message: 'This caller may not use this operation.' },
  STEP_UP_REQUIRED: { code: 403002, message: 'Confirm with the password or a fresh code.' },
  PERMISSION_MISSING: { code: 403003, message: 'Your role in this family does not allow this.' },
  TICKET_INVALID: { code: 403004, message: 'The ticket is not genuine, has expired or does not allow this.' },
  ROLE_CHANGE_FORBIDDEN: { code: 403005, message: 'This change of role is not yours to make.' },
  ENROLMENT_NOT_LISTED: { code: 403006, message: 'This watch is not on the enrolment list of this service.' },
  WATCH_UNBOUND: { code: 403007, message: 'This watch is bound to no child; it can only be bound.' },

  ROUTE_NOT_FOUND: { code: 404001, message: 'There is no such operation.' },
  CHILD_NOT_FOUND: { code: 404002, message: 'There is no such child.' },
  WATCH_NOT_FOUND: { code: 404003, message: 'There is no such watch.' },
  CONTACT_NOT_FOUND: { code: 404004, message: 'There is no such contact.' },
  FAMILY_NOT_FOUND: { code: 404005, message: 'There is no such family.' },
  MEMBER_NOT_FOUND: { code: 404006, message: 'There is no such member.' },
  SESSION_NOT_FOUND: { code: 404007, message: 'There is no such session.' },
  CLOUD_NOT_FOUND: { code: 404008, message: 'There is no such family cloud.' },
  CONTENT_NOT_FOUND: { code: 404009, message: 'There is no such content.' },
  UPLOAD_NOT_FOUND: { code: 404010, message: 'There is no such upload.' },
  LINK_NOT_FOUND: { code: 404011, message: 'This link is unknown or has expired.' },
  INVITATION_NOT_FOUND: { code: 404012, message: 'There is no such invitation.' },
  MESSAGE_NOT_FOUND: { code: 404013, message: 'There is no such message.' },
  CONVERSATION_NOT_FOUND: { code: 404014, message: 'There is no such conversation.' },
  CALL_NOT_FOUND: { code: 404015, message: 'There is no such call.' },
  ALARM_CLOCK_NOT_FOUND: { code: 404016, message: 'There is no such alarm clock.' },
  SCHOOL_TIME_NOT_FOUND: { code: 404017, message: 'There is no such school time.' },
  COMMAND_NOT_FOUND: { code: 404018, message: 'There is no such command.' },
  FRIEND_NOT_FOUND: { code: 404019, message: 'There is no such friend.' },
  CATALOG_NOT_FOUND: { code: 404020, message: 'There is no such catalog.' },
  APPLICATION_NOT_FOUND: { code: 404021, message: 'There is no such application.' },
  SOS_NOT_FOUND: { code: 404022, message: 'There is no such call for help.' },
  ALLOW_NUMBER_NOT_FOUND: { code: 404023, message: 'There is no such allowed number.' },
  ASK_NOT_FOUND: { code: 404024, message: 'There is no such question for the position.' },

  METHOD_NOT_ALLOWED: { code: 405001, message: 'This operation does not answer to this method.' },

  CONFLICT: { code: 409001, message: 'Somebody else changed this at the same time; read it again.' },
  ACCOUNT_EXISTS: { code: 409002, message: 'There is an account with this phone number.' },
  WATCH_ALREADY_BOUND: { code: 409003, message: 'This watch is bound to a child.' },
  CHILD_HAS_WATCH: { code: 409004, message: 'This child has a watch.' },
  IDEMPOTENCY_KEY_REUSED: { code: 409005, message: 'This Idempotency-Key was used with another request.' },
  IMEI_TAKEN: { code: 409006, message: 'Another bound watch claims this IMEI.' },
  ALREADY_MEMBER: { code: 409007, message: 'This person is a member of the family.' },
  REQUEST_IN_PROGRESS: { code: 409008, message: 'The first request with this Idempotency-Key is still running.' },
  UPLOAD_STATE: { code: 409009, message: 'This upload is complete, aborted or not yet whole.' },
  LIMIT_REACHED: { code: 409010, message: 'There can be no more of these.' },
  RECALL_EXPIRED: { code: 409011, message: 'This message is too old to be recalled.' },
  CALL_STATE: { code: 409012, message: 'The call is not in a state for this, or goes on at another device.' },
  COMMAND_STATE: { code: 409013, message: 'This command is under way on the watch, or over.' },
  SOS_ACTIVE: { code: 409014, message: 'The child has called for help; this must wait until that is resolved.' },
  VERSION_STALE: { code: 409015, message: 'These settings have changed since this version; read them again.' },

  BODY_TOO_LARGE: { code: 413001, message: 'The body is larger than this operation takes.' },
  URI_TOO_LONG: { code: 414001, message: 'The address is too long.' },
  MEDIA_TYPE_UNSUPPORTED: { code: 415001, message: 'The body must be application/json.' },
  RANGE_NOT_SATISFIABLE: { code: 416001, message: 'The range lies outside the content.' },
  RATE_LIMITED: { code: 429001, message: 'Too many requests; wait before the next one.' },

  INTERNAL: { code: 500001, message: 'Something went wrong on our side.' },
  DATABASE_UNAVAILABLE: { code: 503001, message: 'The database is away; try again shortly.' },
  REVOCATIONS_STALE: {
    code: 503002,
    message: 'It cannot be checked now whether this session still stands; try again.',
  },
  CLOUD_NOT_READY: { code: 503003, message: 'The family cloud is being made; try again shortly.' },
  OVERLOADED: { code: 503004, message: 'The service is catching up; try again shortly.' },
  SMS_UNAVAILABLE: { code: 503005, message: 'The message could not be sent; try again shortly.' },
  VIDEO_UNAVAILABLE: { code: 503006, message: 'The picture cannot be had now; try again shortly.' },
  QUOTA_EXCEEDED: { code: 507001, message: 'The family cloud is full.' },
} as const satisfies Record<string, { code: number; message: string }>;

export type ErrorReason = keyof typeof ERROR_CATALOGUE;

/** HTTP status of a catalogue code. */
export function statusOf(code: number): number {
  return Math.trunc(code / 1000);
}
