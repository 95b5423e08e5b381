import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { CenterCategory } from './message-center.js';
import type { MessageKind } from './message-kinds.js';
import type { MessageStatus } from './payloads.js';

export interface MessageEvents {
  /**
   * An urgent alert reached no device of this user in time, by socket or push, so only SMS remains to notify the user.
   * Key: `user:<userId>`.
   */
  'gateway.alert.undelivered': {
    userId: string;
    familyId: string;
    cid: string;
    category: CenterCategory;
    messageId: string;
    /** Id of the SOS to which the alert refers. */
    about: string | null;
    /** Time of the reported fact, Unix milliseconds. */
    time: number;
  };
  /**
   * A recipient reported the outcome of a message; `did` and `cid` are the watch and the child to which the message
   * refers. Key: the recipient.
   */
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
   * A child sent files of its family cloud to a friend. The friend may read the files while the message is
   * retained and the friendship exists. Key: `familyId` of the family whose cloud contains the files.
   */
  'gateway.media.granted': {
    messageId: string;
    familyId: string;
    /** The granted files, and their thumbnail, if any. */
    contentIDs: string[];
    /** Sender and recipient (`fromCid`, `toCid`); the recipient reads with its currently bound watch. */
    fromCid: string;
    toCid: string;
    toFamilyId: string;
    /** Expiry of the message. Unix milliseconds. */
    expiresAt: number;
  };
  /**
   * A message whose recipient had been granted access to files was recalled before the grant expired. Key: `familyId`, as for `gateway.media.granted`.
   */
  'gateway.media.grant-ended': { messageId: string; familyId: string };
}
