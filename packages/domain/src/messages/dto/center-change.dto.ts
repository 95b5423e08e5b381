import { UuidField, IntegerField, EnumField } from '../../kernel/dto/fields.js';
import { CENTER_CATEGORY, SEVERITY } from '../contracts/message-center.js';
import type { CenterCategory, MessageCenterChangePayload, Severity } from '../contracts/message-center.js';

/** MessageCenterChangeNoticeMessage. */
export class MessageCenterChangeDto implements MessageCenterChangePayload {
  @EnumField(CENTER_CATEGORY)
  category: CenterCategory;

  @EnumField(SEVERITY)
  severity: Severity;

  @UuidField({ description: 'The message of the centre' })
  messageId: string;

  @IntegerField({ min: 0, description: 'Unread messages of the centre, this one among them' })
  unread: number;
}
