import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { CenterCategory } from './message-center.js';
import type { MessageKind } from './message-kinds.js';
import type { MessageStatus } from './payloads.js';

export interface MessageEvents {
  /**
   * An urgent alert reached no device of this user in time, neither by socket nor by push. userctx then sends an SMS.
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
   * A recipient (`by`) reported the outcome of a message. `did` and `cid`: the watch and the child that the message is
   * about. `version`, `reason`: the acknowledged version of settings, and why it was rejected. Key: the recipient.
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
    /** The files that the message contains, and their thumbnail, if any. */
    contentIDs: string[];
    /** The child that sent the message, and the child that may read the files with its currently bound watch. */
    fromCid: string;
    toCid: string;
    toFamilyId: string;
    /** Expiry of the message and of the access, in Unix milliseconds. */
    expiresAt: number;
  };
  /**
   * The sender recalled a message with files before the recipient's access to the files expired. The access ends. Key:
   * `familyId` of the family whose cloud contains the files.
   */
  'gateway.media.grant-ended': { messageId: string; familyId: string };
}
