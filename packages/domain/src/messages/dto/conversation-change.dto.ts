import { EnumField, ReferenceField } from '../../kernel/dto/fields.js';
import { CONVERSATION_CHANGE } from '../contracts/conversation.js';
import type { ConversationChange, ConversationChangePayload } from '../contracts/conversation.js';

/** ConversationChangeNoticeMessage. */
export class ConversationChangeDto implements ConversationChangePayload {
  @ReferenceField()
  conversationId: string;

  @EnumField(CONVERSATION_CHANGE)
  change: ConversationChange;

  @ReferenceField({ optional: true, description: 'The recalled message' })
  messageId?: string;
}
