import type { ConsentPurpose } from '../../consents/contracts/consent.js';

/** Key: `user:<userId>`. */
export interface AccountEvents {
  /** Somebody signed in; `time`: Unix milliseconds. */
  'userctx.session.started': { userId: string; sessionId: string; time: number };
  'userctx.session.ended': { userId: string; sessionId: string };
  /** Nickname, time zone, avatar or phone number are new; userctx itself says what they are now. */
  'userctx.profile.changed': { userId: string };
  /** A purpose was agreed to, or the agreement withdrawn, which holds from now on. `version` rises with each change. */
  'userctx.consent.changed': {
    userId: string;
    purpose: ConsentPurpose;
    granted: boolean;
    version: number;
    time: number;
  };
  /** The account and all that was about the person are gone for good; whoever keeps something of theirs forgets it. */
  'userctx.account.erased': { userId: string; time: number };
}
