import { Box, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { historyQuery, messageQuery, type ChatMessage, type Conversation } from './queries.js';
import { useMessageText } from './shared/message-text.js';
import { useSenderName } from './shared/sender-name.js';

interface QuoteProps {
  conversationId: string;
  conversation: Conversation | undefined;
  /** Id of the quoted message. */
  messageId: string;
  /** Shows the quoted message in its place; omitted where nothing can be opened. */
  onOpen?: (messageId: string) => void;
}

/** The message that another one answers, in at most two lines. */
export function Quote({ conversationId, conversation, messageId, onOpen }: QuoteProps) {
  const { t } = useTranslation('conversations');
  const { userId } = useSession();
  const textOf = useMessageText();
  const nameOf = useSenderName(conversation, userId);
  const quoted = useMessage(conversationId, messageId);
  const content = (
    <Box
      px="xs"
      py={4}
      mb={4}
      style={{ borderInlineStart: '3px solid var(--mantine-primary-color-filled)' }}
      bg="var(--mantine-color-default-hover)"
    >
      <Text size="xs" fw={600}>
        {quoted && nameOf(quoted)}
      </Text>
      <Text dir="auto" size="sm" lineClamp={2} fs={quoted?.payload ? undefined : 'italic'}>
        {quoted === null ? t('quoteUnavailable') : quoted && textOf(quoted)}
      </Text>
    </Box>
  );
  if (!onOpen || !quoted) return content;
  return (
    <UnstyledButton display="block" w="100%" onClick={() => onOpen(messageId)}>
      <VisuallyHidden>{t('openQuote')}</VisuallyHidden>
      {content}
    </UnstyledButton>
  );
}

/** Returns a message, undefined while it is being loaded, or null if the person cannot see it. */
function useMessage(conversationId: string, messageId: string): ChatMessage | null | undefined {
  const session = useSession();
  const queries = useQueryClient();
  const loaded = useQuery({
    ...historyQuery(session, conversationId, queries),
    enabled: false,
    select: ({ messages }) => messages.find(({ id }) => id === messageId) ?? null,
  });
  const older = useQuery({ ...messageQuery(session, { conversationId, messageId }), enabled: loaded.data === null });
  return loaded.data ?? (older.isError ? null : older.data);
}
