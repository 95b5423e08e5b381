import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { CenterCategory } from './message-center.js';
import type { MessageKind } from './message-kinds.js';
import type { MessageStatus } from './payloads.js';

export interface MessageEvents {
  /**
   * An urgent alert reached no device of this person in time, by socket or by push; what is left is a text message.
   * Key: `user:<userId>`.
   */
  'gateway.alert.undelivered': {
    userId: string;
    familyId: string;
    cid: string;
    category: CenterCategory;
    messageId: string;
    /** Whose call for help it tells of. */
    about: string | null;
    /** Unix milliseconds of what the alert is about. */
    time: number;
  };
  /** A recipient said what became of one message; `did` and `cid` are those of the message. Key: that principal. */
  'gateway.message.acknowledged': {
    by: PrincipalKey;
    messageId: string;
    kind: MessageKind;
    did: number | null;
    cid: string | null;
    status: MessageStatus;
    version: number | null;
    reason: string | null;
  };
  /**
   * A child sent media of its family's cloud to a befriended child, who may open them for as long as the message is
   * kept and the two are friends. Key: `familyId`, of the family whose cloud holds them.
   */
  'gateway.media.granted': {
    messageId: string;
    familyId: string;
    /** The media, and the small picture of them if there is one. */
    contentIDs: string[];
    /** Who sent them, and who may open them, with the watch that is bound now. */
    fromCid: string;
    toCid: string;
    toFamilyId: string;
    /** Unix milliseconds: the end of the message. */
    expiresAt: number;
  };
  /** Such a message was taken back before its time. Key: `familyId`, as above. */
  'gateway.media.grant-ended': { messageId: string; familyId: string };
}
