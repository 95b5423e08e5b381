import { useTranslation } from 'react-i18next';
import type { ChatMessage, Conversation } from '../queries.js';

/** Returns whether the person has sent the message. */
export function isOwnMessage({ cid, from }: ChatMessage, userId: string): boolean {
  return cid === null && from.id === userId;
}

/** Returns a function that names the sender of a message. */
export function useSenderName(
  conversation: Conversation | undefined,
  userId: string,
): (message: ChatMessage) => string {
  const { t } = useTranslation('conversations');
  return (message) => {
    if (isOwnMessage(message, userId)) return t('you');
    const { cid, from } = message;
    const sender = conversation?.members.find((member) =>
      cid === null ? member.userId === from.id : member.cid === cid,
    );
    return sender?.name ?? t('unknown');
  };
}
