import { useTranslation } from 'react-i18next';
import { EMOJI, type EmojiCode } from '../emoji.js';
import { othersOf, type ChatMessage, type Conversation } from '../queries.js';

/** Returns a function that describes a message in one line. */
export function useMessageText(): (message: Pick<ChatMessage, 'kind' | 'payload'>) => string {
  const { t } = useTranslation('conversations');
  return ({ kind, payload }) => {
    if (payload === null) return t('recalled');
    switch (kind) {
      case 'ChatTextMessage':
        return String(payload['text']);
      case 'ChatEmojiMessage':
        return EMOJI[payload['emoji'] as EmojiCode] ?? t('emoji');
      case 'ChatVoiceMessage':
        return t('voice');
      case 'ChatImageMessage':
        return t('image');
      case 'ChatVideoMessage':
        return t('video');
    }
  };
}

/** Returns a function that names a conversation after its other members. */
export function useConversationName(userId: string): (conversation: Conversation) => string {
  const { t } = useTranslation('conversations');
  return (conversation) => {
    const names = othersOf(conversation, userId).map(({ name }) => name ?? t('unknown'));
    return conversation.type === 'FAMILY' ? `${t('family')}: ${names.join(', ')}` : names.join(', ');
  };
}
