import { Id, Integer, OneOf } from '../../kernel/dto/fields.js';
import { CENTER_CATEGORY, SEVERITY } from '../contracts/message-center.js';
import type { CenterCategory, MessageCenterChangePayload, Severity } from '../contracts/message-center.js';

/** MessageCenterChangeNoticeMessage. */
export class MessageCenterChangeDto implements MessageCenterChangePayload {
  @OneOf(CENTER_CATEGORY)
  category: CenterCategory;

  @OneOf(SEVERITY)
  severity: Severity;

  @Id({ description: 'The message of the centre' })
  messageId: string;

  @Integer({ min: 0, description: 'Unread messages of the centre, this one among them' })
  unread: number;
}
