import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { TbVideo } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { formatCount } from '../../ui/format-count.js';
import { Photo } from '../accounts/photo/photo.js';
import { useConversationName, useMessageText } from './shared/message-text.js';
import { conversationsQuery, photoOf, type Conversation } from './queries.js';

/**
 * The conversations with their last messages.
 * @param openId - the conversation beside the list
 */
export function ConversationList({ openId }: { openId?: string | undefined }) {
  const { t } = useTranslation('conversations');
  const session = useSession();
  const conversations = useQuery(conversationsQuery(session));
  return (
    <Stack maw={720}>
      <Group justify="space-between">
        {/* Beside a conversation, its name is the title of the page. */}
        <Title order={openId === undefined ? 1 : 2} size="h1">
          {t('title')}
        </Title>
        <Button
          renderRoot={(props) => <Link {...props} to="/chat/calls" />}
          variant="light"
          leftSection={<TbVideo aria-hidden />}
        >
          {t('calls')}
        </Button>
      </Group>
      <QueryView query={conversations}>
        {({ items }) =>
          items.length === 0 ? (
            <Stack align="center" py="xl">
              <Text size="xl">{t('empty')}</Text>
              <Text c="dimmed">{t('emptyHint')}</Text>
            </Stack>
          ) : (
            <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
              {items.toSorted(byLastMessage).map((conversation) => (
                <li key={conversation.conversationId}>
                  <ConversationCard conversation={conversation} isOpen={conversation.conversationId === openId} />
                </li>
              ))}
            </Stack>
          )
        }
      </QueryView>
    </Stack>
  );
}

/** The newest message first, and conversations without messages last. */
function byLastMessage(one: Conversation, other: Conversation): number {
  return (other.lastMessage?.time ?? 0) - (one.lastMessage?.time ?? 0);
}

function ConversationCard({ conversation, isOpen }: { conversation: Conversation; isOpen: boolean }) {
  const { t } = useTranslation('conversations');
  const { userId } = useSession();
  const nameOf = useConversationName(userId);
  const textOf = useMessageText();
  const { conversationId, lastMessage, unread } = conversation;
  const name = nameOf(conversation);
  return (
    <Card
      renderRoot={(props) => <Link {...props} to="/chat/$conversationId" params={{ conversationId }} />}
      withBorder
      bg={isOpen ? 'var(--mantine-primary-color-light)' : undefined}
    >
      <Group wrap="nowrap">
        <Photo name={name} avatar={photoOf(conversation, userId)} color="initials" />
        <Stack gap={0} flex={1} miw={0}>
          <Group justify="space-between" wrap="nowrap">
            <Text fw={600} truncate>
              {name}
            </Text>
            {lastMessage && (
              <Text size="xs" c="dimmed">
                <RelativeTime time={lastMessage.time} />
              </Text>
            )}
          </Group>
          <Text dir="auto" size="sm" c="dimmed" truncate>
            {lastMessage && textOf(lastMessage)}
          </Text>
        </Stack>
        {unread > 0 && (
          <Badge aria-label={t('unread', { count: unread, shown: formatCount(unread) })}>{formatCount(unread)}</Badge>
        )}
      </Group>
    </Card>
  );
}
