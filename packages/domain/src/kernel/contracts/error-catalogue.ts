/**
 * Every error that the service returns. `code` = HTTP status × 1000 + a number that is never reused; the code of an
 * error is the same on every surface. Clients may rely on `reason` (specification 7).
 */
export const ERROR_CATALOGUE = {
  VALIDATION_FAILED: {
    code: 400001,
    message: 'The request is invalid. See `details` for the fields that failed validation.',
  },
  MALFORMED_JSON: { code: 400002, message: 'The request body is not valid JSON.' },
  BODY_TOO_COMPLEX: { code: 400003, message: 'The request body is nested too deeply or has too many fields.' },
  CODE_INVALID: { code: 400004, message: 'The code is incorrect, expired or already used.' },
  PASSWORD_TOO_WEAK: { code: 400005, message: 'This password is too easy to guess. Choose a stronger one.' },
  PROOF_INVALID: { code: 400006, message: 'The proof is not valid for this key, nonce and device data.' },
  BIND_CODE_INVALID: {
    code: 400007,
    message: 'The bind code or confirmation code is incorrect, expired or already used.',
  },
  INVITATION_INVALID: { code: 400008, message: 'This invitation is invalid, expired, cancelled or already used.' },
  MALFORMED_REQUEST: { code: 400009, message: 'The request is malformed.' },
  CLOUD_TYPE_UNSUPPORTED: { code: 400010, message: 'This `cloudType` or `catalogType` is not supported.' },
  DIGEST_MISMATCH: { code: 400011, message: 'The uploaded data does not match the announced size or digest.' },
  PUSH_TOKEN_INVALID: { code: 400012, message: 'This push token is unknown or cannot be used with this push service.' },

  TOKEN_MISSING: { code: 401001, message: 'A Bearer access token is required.' },
  TOKEN_INVALID: { code: 401002, message: 'The access token is invalid or has expired.' },
  TOKEN_REVOKED: { code: 401003, message: 'The session of this access token has ended.' },
  CREDENTIALS_INVALID: { code: 401004, message: 'Incorrect phone number, password or code.' },
  REFRESH_TOKEN_INVALID: { code: 401005, message: 'The refresh token is invalid, expired or already used.' },
  SIGNATURE_INVALID: { code: 401006, message: 'The signature is not valid for this watch and nonce.' },

  FORBIDDEN: { code: 403001, message: 'This account or device is not allowed to use this operation.' },
  STEP_UP_REQUIRED: { code: 403002, message: 'Confirm this action with your password or a new code.' },
  PERMISSION_MISSING: { code: 403003, message: 'You do not have permission to do this in this family.' },
  TICKET_INVALID: { code: 403004, message: 'The ticket is invalid, has expired or does not permit this operation.' },
  ROLE_CHANGE_FORBIDDEN: { code: 403005, message: 'You are not allowed to make this role change.' },
  ENROLMENT_NOT_LISTED: { code: 403006, message: 'This watch is not on the enrolment list.' },
  WATCH_UNBOUND: { code: 403007, message: 'This watch is not bound to a child. Bind it first.' },
  SCHOOL_TIME: { code: 403008, message: 'The watch cannot send or receive calls and messages during school time.' },
  CONTACT_NOT_ALLOWED: { code: 403009, message: "The child's contact settings do not allow this." },

  ROUTE_NOT_FOUND: { code: 404001, message: 'Operation not found.' },
  CHILD_NOT_FOUND: { code: 404002, message: 'Child not found.' },
  WATCH_NOT_FOUND: { code: 404003, message: 'Watch not found.' },
  CONTACT_NOT_FOUND: { code: 404004, message: 'Contact not found.' },
  FAMILY_NOT_FOUND: { code: 404005, message: 'Family not found.' },
  MEMBER_NOT_FOUND: { code: 404006, message: 'Member not found.' },
  SESSION_NOT_FOUND: { code: 404007, message: 'Session not found.' },
  CLOUD_NOT_FOUND: { code: 404008, message: 'Family cloud not found.' },
  CONTENT_NOT_FOUND: { code: 404009, message: 'File not found.' },
  UPLOAD_NOT_FOUND: { code: 404010, message: 'Upload not found.' },
  LINK_NOT_FOUND: { code: 404011, message: 'This link is invalid or has expired.' },
  INVITATION_NOT_FOUND: { code: 404012, message: 'Invitation not found.' },
  MESSAGE_NOT_FOUND: { code: 404013, message: 'Message not found.' },
  CONVERSATION_NOT_FOUND: { code: 404014, message: 'Conversation not found.' },
  CALL_NOT_FOUND: { code: 404015, message: 'Call not found.' },
  ALARM_CLOCK_NOT_FOUND: { code: 404016, message: 'Alarm not found.' },
  SCHOOL_TIME_NOT_FOUND: { code: 404017, message: 'School time not found.' },
  COMMAND_NOT_FOUND: { code: 404018, message: 'Command not found.' },
  FRIEND_NOT_FOUND: { code: 404019, message: 'Friend not found.' },
  CATALOG_NOT_FOUND: { code: 404020, message: 'Folder not found.' },
  APPLICATION_NOT_FOUND: { code: 404021, message: 'Request not found.' },
  SOS_NOT_FOUND: { code: 404022, message: 'SOS not found.' },
  ALLOW_NUMBER_NOT_FOUND: { code: 404023, message: 'Allowed number not found.' },
  ASK_NOT_FOUND: { code: 404024, message: 'Location request not found.' },
  FENCE_NOT_FOUND: { code: 404025, message: 'Fence not found.' },
  SHARE_NOT_FOUND: { code: 404026, message: 'Location share not found.' },
  CLAIM_NOT_FOUND: { code: 404027, message: 'Ownership claim not found.' },
  POINT_NOT_FOUND: { code: 404028, message: 'Location point not found.' },
  POSITION_NOT_FOUND: { code: 404029, message: 'No location could be determined from these networks.' },
  ALBUM_NOT_FOUND: { code: 404030, message: 'Album not found.' },
  TASK_NOT_FOUND: { code: 404031, message: 'Batch task not found.' },
  AUTHORIZATION_NOT_FOUND: { code: 404032, message: 'Share not found.' },

  METHOD_NOT_ALLOWED: { code: 405001, message: 'This HTTP method is not supported for this operation.' },

  REQUEST_TIMEOUT: { code: 408001, message: 'The request did not arrive in time.' },

  CONFLICT: { code: 409001, message: 'The data has changed or is in a conflicting state. Reload it and try again.' },
  ACCOUNT_EXISTS: { code: 409002, message: 'An account with this phone number already exists.' },
  WATCH_ALREADY_BOUND: { code: 409003, message: 'This watch is already bound to a child.' },
  CHILD_HAS_WATCH: { code: 409004, message: 'This child already has a watch.' },
  IDEMPOTENCY_KEY_REUSED: {
    code: 409005,
    message: 'This Idempotency-Key has already been used with a different request.',
  },
  IMEI_TAKEN: { code: 409006, message: 'Another bound watch already uses this IMEI.' },
  ALREADY_MEMBER: { code: 409007, message: 'This person is already a member of the family.' },
  REQUEST_IN_PROGRESS: { code: 409008, message: 'A request with this Idempotency-Key is still in progress.' },
  UPLOAD_STATE: {
    code: 409009,
    message: 'The upload does not allow this: it is complete, aborted or still incomplete.',
  },
  LIMIT_REACHED: { code: 409010, message: 'The maximum number has been reached.' },
  RECALL_EXPIRED: { code: 409011, message: 'This message can no longer be recalled.' },
  CALL_STATE: { code: 409012, message: "The call's state does not allow this, or it continues on another device." },
  COMMAND_STATE: { code: 409013, message: 'The watch has already started this command, or the command has ended.' },
  SOS_ACTIVE: { code: 409014, message: 'This is not possible while an SOS is active.' },
  APPLICATION_STATE: { code: 409017, message: 'This request has already been answered, withdrawn or closed.' },
  APPLICATION_REFUSED: { code: 409018, message: 'This family declined your request. Its owner can still invite you.' },
  CLAIM_STATE: { code: 409019, message: 'This claim has ended, or another claim is open.' },
  CATALOG_EXISTS: { code: 409020, message: 'A folder with this name already exists here.' },
  CATALOG_CYCLE: { code: 409021, message: 'A folder cannot be moved into itself or one of its subfolders.' },
  UPLOAD_OFFSET: {
    code: 409023,
    message: 'The upload offset does not match. Query the current offset and resume from there.',
  },
  VERSION_STALE: { code: 409015, message: 'A newer version exists. Reload and try again.' },

  PRECONDITION_FAILED: { code: 412001, message: "The request's preconditions are not fulfilled." },
  BODY_TOO_LARGE: { code: 413001, message: 'The request body is too large.' },
  URI_TOO_LONG: { code: 414001, message: 'The URL is too long.' },
  MEDIA_TYPE_UNSUPPORTED: { code: 415001, message: 'This Content-Type is not supported for this operation.' },
  RANGE_NOT_SATISFIABLE: { code: 416001, message: 'The requested range is outside the file.' },
  UPLOAD_LOCKED: { code: 423001, message: 'Another request is writing to this upload. Try again.' },
  RATE_LIMITED: { code: 429001, message: 'Too many requests. Try again later.' },
  HEADERS_TOO_LARGE: { code: 431001, message: 'The request headers are too large.' },

  INTERNAL: { code: 500001, message: 'An internal error occurred.' },
  DATABASE_UNAVAILABLE: { code: 503001, message: 'The database is temporarily unavailable. Try again shortly.' },
  REVOCATIONS_STALE: {
    code: 503002,
    message: 'Sessions cannot be verified right now. Try again shortly.',
  },
  CLOUD_NOT_READY: { code: 503003, message: 'The family cloud is not ready yet. Try again shortly.' },
  OVERLOADED: { code: 503004, message: 'The service is temporarily overloaded or unavailable. Try again shortly.' },
  SMS_UNAVAILABLE: { code: 503005, message: 'The SMS could not be sent. Try again shortly.' },
  VIDEO_UNAVAILABLE: { code: 503006, message: 'Video is temporarily unavailable. Try again shortly.' },
  STORE_UNAVAILABLE: { code: 503007, message: 'File storage is temporarily unavailable. Try again shortly.' },
  QUOTA_EXCEEDED: { code: 507001, message: 'The family cloud is full.' },
  STORE_FULL: { code: 507002, message: 'File storage is full. The file was not saved.' },
} as const satisfies Record<string, { code: number; message: string }>;

export type ErrorReason = keyof typeof ERROR_CATALOGUE;

/** Returns the HTTP status of a catalogue code. */
export function httpStatusOf(code: number): number {
  return Math.trunc(code / 1000);
}
