import { Button, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { useLanguage } from '../../core/texts.js';
import { formatDay, formatTime } from '../../ui/format.js';
import { QueryView } from '../../ui/query-view.js';
import { searchQuery, type Conversation } from './queries.js';
import { useMessageText } from './shared/message-text.js';
import { useSenderName } from './shared/sender-name.js';

/** The longest text that the service searches. */
export const MAX_SEARCH_LENGTH = 64;
/** The service is asked when the person pauses. */
const PAUSE_MS = 300;

interface MessageSearchProps {
  conversationId: string;
  conversation: Conversation | undefined;
  text: string;
  onChoose: (messageId: string) => void;
}

/** The messages that contain a text. */
export function MessageSearch({ conversationId, conversation, text, onChoose }: MessageSearchProps) {
  const { t } = useTranslation('conversations');
  const [language] = useLanguage();
  const session = useSession();
  const textOf = useMessageText();
  const nameOf = useSenderName(conversation, session.userId);
  const [searched] = useDebouncedValue(text.trim(), PAUSE_MS);
  const found = useInfiniteQuery(searchQuery(session, conversationId, searched));
  if (searched === '') return <Text c="dimmed">{t('searchHint')}</Text>;
  return (
    <Stack flex={1} mih={0} gap={4} style={{ overflowY: 'auto' }} role="region" aria-label={t('results')} tabIndex={0}>
      <QueryView query={found}>
        {({ pages }) => {
          const messages = pages.flatMap(({ items }) => items);
          return (
            <>
              <Text size="sm" c="dimmed" role="status">
                {t(found.hasNextPage ? 'foundAtLeast' : 'found', { count: messages.length })}
              </Text>
              {messages.map((message) => (
                <UnstyledButton key={message.id} p="xs" mih={44} onClick={() => onChoose(message.id)}>
                  <Text size="xs" c="dimmed">
                    {nameOf(message)} · {formatDay(message.time, language)}, {formatTime(message.time, language)}
                  </Text>
                  <Text lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
                    {textOf(message)}
                  </Text>
                </UnstyledButton>
              ))}
              {found.hasNextPage && (
                <Button variant="subtle" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  {t('moreResults')}
                </Button>
              )}
            </>
          );
        }}
      </QueryView>
    </Stack>
  );
}
