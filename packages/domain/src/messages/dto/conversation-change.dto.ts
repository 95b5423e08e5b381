import { OneOf, Reference } from '../../kernel/dto/fields.js';
import { CONVERSATION_CHANGE } from '../contracts/conversation.js';
import type { ConversationChange, ConversationChangePayload } from '../contracts/conversation.js';

/** ConversationChangeNoticeMessage. */
export class ConversationChangeDto implements ConversationChangePayload {
  @Reference()
  conversationId: string;

  @OneOf(CONVERSATION_CHANGE)
  change: ConversationChange;

  @Reference({ optional: true, description: 'The message that was recalled' })
  messageId?: string;
}
