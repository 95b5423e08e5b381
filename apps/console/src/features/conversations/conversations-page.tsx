import { Avatar, Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { TbVideo } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { formatCount } from '../../ui/format-count.js';
import { useConversationName, useMessageText } from './shared/message-text.js';
import { conversationsQuery } from './queries.js';
import { texts } from './texts.js';

export function ConversationsPage() {
  const t = useTexts(texts);
  const session = useSession();
  const conversations = useQuery(conversationsQuery(session));
  const nameOf = useConversationName(session.userId);
  const textOf = useMessageText();
  return (
    <Stack maw={720}>
      <Group justify="space-between">
        <Title order={1}>{t('title')}</Title>
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
              {items.map((conversation) => {
                const { conversationId, lastMessage, unread } = conversation;
                const name = nameOf(conversation);
                return (
                  <li key={conversationId}>
                    <Card
                      renderRoot={(props) => <Link {...props} to="/chat/$conversationId" params={{ conversationId }} />}
                      withBorder
                    >
                      <Group wrap="nowrap">
                        <Avatar name={name} color="initials" aria-hidden />
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
                          <Text size="sm" c="dimmed" truncate>
                            {lastMessage && textOf(lastMessage)}
                          </Text>
                        </Stack>
                        {unread > 0 && (
                          <Badge aria-label={t('unread', { count: unread, shown: formatCount(unread) })}>
                            {formatCount(unread)}
                          </Badge>
                        )}
                      </Group>
                    </Card>
                  </li>
                );
              })}
            </Stack>
          )
        }
      </QueryView>
    </Stack>
  );
}
