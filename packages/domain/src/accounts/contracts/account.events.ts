import type { ConsentPurpose } from '../../consents/contracts/consent.js';

/** Key: `user:<userId>`. */
export interface AccountEvents {
  /** A user signed in; `time`: Unix milliseconds. */
  'userctx.session.started': { userId: string; sessionId: string; time: number };
  'userctx.session.ended': { userId: string; sessionId: string };
  /** The nickname, time zone, avatar or phone number changed; query userctx for the new values. */
  'userctx.profile.changed': { userId: string };
  /** A consent was granted or withdrawn, effective immediately. `version` increases with each change. */
  'userctx.consent.changed': {
    userId: string;
    purpose: ConsentPurpose;
    granted: boolean;
    version: number;
    time: number;
  };
  /**
   * The account and all data about the person were deleted permanently. Consumers must delete their copies of this
   * data.
   */
  'userctx.account.erased': { userId: string; time: number };
}
