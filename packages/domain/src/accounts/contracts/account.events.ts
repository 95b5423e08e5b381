/** Key: `user:<userId>`. */
export interface AccountEvents {
  /** Somebody signed in; `time`: Unix milliseconds. */
  'userctx.session.started': { userId: string; sessionId: string; time: number };
  'userctx.session.ended': { userId: string; sessionId: string };
  /** Nickname, time zone, avatar or phone number are new; userctx itself says what they are now. */
  'userctx.profile.changed': { userId: string };
}
