import { UuidField, IntegerField, EnumField } from '../../kernel/dto/fields.js';
import { CENTER_CATEGORY, SEVERITY } from '../contracts/message-center.js';
import type { CenterCategory, MessageCenterChangePayload, Severity } from '../contracts/message-center.js';

/** MessageCenterChangeNoticeMessage. */
export class MessageCenterChangeDto implements MessageCenterChangePayload {
  @EnumField(CENTER_CATEGORY)
  category: CenterCategory;

  @EnumField(SEVERITY)
  severity: Severity;

  @UuidField({ description: 'The center message' })
  messageId: string;

  @IntegerField({ min: 0, description: 'Number of unread center messages, including this one' })
  unread: number;
}
