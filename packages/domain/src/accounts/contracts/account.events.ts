/** Key: `user:<userId>`. */
export interface AccountEvents {
  'userctx.session.ended': { userId: string; sessionId: string };
}
