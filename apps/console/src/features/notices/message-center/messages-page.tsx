import { ActionIcon, Box, Button, Chip, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { TbTrash } from 'react-icons/tb';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { formatTime } from '../../../ui/format.js';
import { QueryView } from '../../../ui/query-view.js';
import { useIsWide } from '../../../ui/use-is-wide.js';
import { useUndo } from '../../../ui/use-undo.js';
import { childrenQuery } from '../../families/queries.js';
import { dayHeading, groupByDay } from './days.js';
import { MessageRow } from './message-row.js';
import { OpenRequests } from './open-requests.js';
import { centerMessagesQuery, deleteMessages, type CenterMessage } from './queries.js';
import { SubjectPane } from './subject-pane.js';
import { requestIdOf, subjectOf } from './subjects.js';
import { useCenterText } from './use-center-text.js';
import { useOpenRequests } from './use-open-requests.js';

const ALL_CHILDREN = '';

const route = getRouteApi('/signed-in/messages');

/**
 * What has happened to children, watches, family and account, by day; above it, what the person has to deal with. On a
 * wide display, a message is opened beside the list.
 */
export function MessagesPage() {
  const { t } = useTranslation('messageCenter');
  const session = useSession();
  const [language] = useLanguage();
  const query = useInfiniteQuery(centerMessagesQuery(session));
  const [cid, setCid] = useState(ALL_CHILDREN);
  const requests = useOpenRequests();
  const textOf = useCenterText();
  const { read, remove, deletedIds } = useMessageChanges();
  const openIds = new Set(requests.map(({ id }) => id));
  // What is open is above the days until it is dealt with.
  const isListed = (message: CenterMessage) =>
    !deletedIds.has(message.messageId) &&
    !openIds.has(requestIdOf(message) ?? '') &&
    (cid === ALL_CHILDREN || message.cid === cid);
  const messages = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const days = groupByDay(messages.filter(isListed));
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isPageEmpty = days.length === 0 && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    // The messages of the chosen child may all be on later pages.
    if (isPageEmpty) void fetchNextPage();
  }, [isPageEmpty, fetchNextPage]);
  const newest = messages[0];
  const unread = query.data?.pages[0]?.unread ?? 0;
  const isWide = useIsWide();
  const { message: openId } = route.useSearch();
  const opened = messages.find(({ messageId }) => messageId === openId);
  const list = (
    <Stack maw={720}>
      <Group justify="space-between">
        <Title order={1}>{t('title')}</Title>
        {unread > 0 && newest && (
          <Button
            variant="light"
            loading={read.isPending && 'through' in read.variables}
            onClick={() => read.mutate({ through: newest.messageId })}
          >
            {t('markAllRead')}
          </Button>
        )}
      </Group>
      <OpenRequests
        requests={requests}
        textOf={textOf}
        onOpen={(id) => {
          const messageIds = messages.filter((each) => !each.read && requestIdOf(each) === id);
          if (messageIds.length > 0) read.mutate({ messageIds: messageIds.map(({ messageId }) => messageId) });
        }}
      />
      <ChildFilter cid={cid} onChange={setCid} />
      <ErrorAlert error={read.error ?? remove.error} />
      <QueryView query={query}>
        {() => (
          <>
            {days.length === 0 && !hasNextPage && <Text c="dimmed">{t('empty')}</Text>}
            {days.map(({ key, time, items }) => (
              <section key={key} aria-labelledby={`day-${key}`}>
                <Title id={`day-${key}`} order={2} size="h4">
                  {dayHeading(time, Date.now(), language)}
                </Title>
                <Stack component="ul" gap={0} p={0} m={0} style={{ listStyle: 'none' }}>
                  {items.map((message) => {
                    const text = textOf(message);
                    return (
                      <li key={message.messageId}>
                        <MessageRow
                          category={message.category}
                          text={text}
                          time={formatTime(message.time, language)}
                          subject={isWide ? besideList(message) : subjectOf(message)}
                          isOpen={isWide && message === opened}
                          isUnread={!message.read}
                          onOpen={() => !message.read && read.mutate({ messageIds: [message.messageId] })}
                        >
                          <ActionIcon
                            color="gray"
                            aria-label={t('delete', { text })}
                            onClick={() => remove.start(message.messageId)}
                          >
                            <TbTrash aria-hidden />
                          </ActionIcon>
                        </MessageRow>
                      </li>
                    );
                  })}
                </Stack>
              </section>
            ))}
            {hasNextPage && (
              <Button variant="light" loading={query.isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {t('older')}
              </Button>
            )}
          </>
        )}
      </QueryView>
    </Stack>
  );
  if (!isWide) return list;
  return (
    <SimpleGrid cols={2} spacing="xl">
      {list}
      <Box pos="sticky" top={16} style={{ alignSelf: 'start' }}>
        <SubjectPane message={opened} text={opened ? textOf(opened) : ''} />
      </Box>
    </SimpleGrid>
  );
}

/** Opens a message beside the list, which keeps its position. */
function besideList({ messageId }: CenterMessage) {
  return { to: '/messages', search: { message: messageId }, resetScroll: false } as const;
}

/** With at least two children, the messages of one of them can be shown alone. */
function ChildFilter({ cid, onChange }: { cid: string; onChange: (cid: string) => void }) {
  const { t } = useTranslation('messageCenter');
  const children = useQuery(childrenQuery(useSession())).data?.childList ?? [];
  if (children.length < 2) return null;
  return (
    <Chip.Group value={cid} onChange={onChange}>
      <Group gap="xs" role="group" aria-label={t('filter')}>
        {[{ cid: ALL_CHILDREN, name: t('all') }, ...children].map((child) => (
          <Chip key={child.cid} value={child.cid}>
            {child.name}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}

/** Marks messages as read, and deletes them unless the person takes it back. */
function useMessageChanges() {
  const { t } = useTranslation('messageCenter');
  const session = useSession();
  const queries = useQueryClient();
  const offerUndo = useUndo();
  const [deletedIds, setDeletedIds] = useState<ReadonlySet<string>>(new Set());
  const onSettled = () => queries.invalidateQueries({ queryKey: ['message-center'] });
  const show = (messageId: string) => setDeletedIds((ids) => new Set([...ids].filter((id) => id !== messageId)));
  const read = useMutation({
    mutationFn: (selection: { through: string } | { messageIds: string[] }) =>
      session.client.messageCenter.read(selection),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (messageId: string) => deleteMessages(session, [messageId]),
    onError: (_, messageId) => show(messageId),
    onSettled,
  });
  const start = (messageId: string) => {
    setDeletedIds((ids) => new Set([...ids, messageId]));
    offerUndo({
      message: t('deleted'),
      run: () => remove.mutate(messageId),
      onUndo: () => show(messageId),
    });
  };
  return { read, remove: { error: remove.error, start }, deletedIds };
}
