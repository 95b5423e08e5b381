import { ActionIcon, Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { TbTrash } from 'react-icons/tb';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { centerMessagesQuery } from './queries.js';
import type { CenterMessage } from './queries.js';
import { texts } from './texts.js';
import { useCenterText } from './use-center-text.js';

/** What has happened to children, watches, family and account. */
export function MessagesPage() {
  const t = useTexts(texts);
  const session = useSession();
  const query = useInfiniteQuery(centerMessagesQuery(session));
  const { read, remove } = useMessageChanges();
  return (
    <Stack maw={720}>
      <QueryView query={query}>
        {({ pages }) => {
          const messages = pages.flatMap(({ items }) => items);
          const newest = messages[0];
          const unread = pages[0]?.unread ?? 0;
          return (
            <>
              <Group justify="space-between">
                <Title order={1}>{t('title')}</Title>
                {unread > 0 && newest && (
                  <Button
                    variant="light"
                    loading={read.isPending}
                    onClick={() => read.mutate({ through: newest.messageId })}
                  >
                    {t('markAllRead')}
                  </Button>
                )}
              </Group>
              <Text c="dimmed" role="status">
                {unread > 0 ? t('unread', { count: unread }) : messages.length === 0 && t('empty')}
              </Text>
              <ErrorAlert error={read.error ?? remove.error} />
              <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
                {messages.map((message) => (
                  <li key={message.messageId}>
                    <MessageCard
                      message={message}
                      isPending={read.isPending || remove.isPending}
                      onRead={() => read.mutate({ messageIds: [message.messageId] })}
                      onDelete={() => remove.mutate(message.messageId)}
                    />
                  </li>
                ))}
              </Stack>
              {query.hasNextPage && (
                <Button variant="light" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t('older')}
                </Button>
              )}
            </>
          );
        }}
      </QueryView>
    </Stack>
  );
}

function useMessageChanges() {
  const { client } = useSession();
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: ['message-center'] });
  const read = useMutation({
    mutationFn: (selection: { through: string } | { messageIds: string[] }) => client.messageCenter.read(selection),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (messageId: string) => client.messageCenter.delete({ messageIds: [messageId] }),
    onSettled,
  });
  return { read, remove };
}

interface MessageCardProps {
  message: CenterMessage;
  isPending: boolean;
  onRead: () => void;
  onDelete: () => void;
}

const SEVERITY_COLORS = { INFO: 'teal', WARNING: 'orange', URGENT: 'red' };

function MessageCard({ message, isPending, onRead, onDelete }: MessageCardProps) {
  const t = useTexts(texts);
  const textOf = useCenterText();
  const { category, severity, time, read } = message;
  // Red is for SOS, also if the service has another urgent message.
  const color = category === 'SOS' || severity !== 'URGENT' ? SEVERITY_COLORS[severity] : 'orange';
  return (
    <Card withBorder>
      <Group wrap="nowrap" align="start" justify="space-between">
        <Stack gap={4} flex={1} miw={0}>
          <Text fw={read ? 400 : 600}>{textOf(message)}</Text>
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              <RelativeTime time={time} />
            </Text>
            {!read && (
              <Badge variant="light" color={color} tt="none">
                {t(severity === 'URGENT' ? 'urgent' : 'isUnread')}
              </Badge>
            )}
          </Group>
          {!read && (
            <Button variant="subtle" disabled={isPending} onClick={onRead} style={{ alignSelf: 'start' }} px={0}>
              {t('markRead')}
            </Button>
          )}
        </Stack>
        <ActionIcon color="gray" aria-label={t('delete')} disabled={isPending} onClick={onDelete}>
          <TbTrash aria-hidden />
        </ActionIcon>
      </Group>
    </Card>
  );
}
