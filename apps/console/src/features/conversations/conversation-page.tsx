import { ActionIcon, Button, Group, Paper, Popover, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconArrowLeft, IconMoodSmile, IconSend } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '../../app/errors/error-texts.js';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { EMOJI } from './emoji.js';
import type { EmojiCode } from './emoji.js';
import { useConversationName, useMessageText } from './message-text.js';
import { conversationsQuery, historyQuery } from './queries.js';
import type { ChatMessage, Conversation } from './queries.js';
import { texts } from './texts.js';
import { useOutbox } from './use-outbox.js';
import type { Draft, PendingMessage } from './use-outbox.js';

const route = getRouteApi('/signed-in/chat/$conversationId');

/** The messages of one conversation, the newest at the bottom, and the field for a new one. */
export function ConversationPage() {
  const t = useTexts(texts);
  const { conversationId } = route.useParams();
  const session = useSession();
  const conversations = useQuery(conversationsQuery(session));
  const history = useInfiniteQuery(historyQuery(session, conversationId));
  const nameOf = useConversationName(session.userId);
  const { pending, send, retry } = useOutbox(conversationId);
  const conversation = conversations.data?.items.find((each) => each.conversationId === conversationId);
  const newest = history.data?.pages[0]?.items[0];
  useMarkRead(conversation, newest);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In braces: browsers return a promise, which React would call as a clean-up.
    void end.current?.scrollIntoView({ block: 'end' });
  }, [newest?.id, pending.length]);
  return (
    <Stack maw={720} mih="calc(100dvh - 120px)">
      <Group wrap="nowrap">
        <ActionIcon component={Link} to="/chat" aria-label={t('back')}>
          <IconArrowLeft aria-hidden />
        </ActionIcon>
        <Title order={1} size="h3">
          {conversation && nameOf(conversation)}
        </Title>
      </Group>
      <QueryView query={history}>
        {({ pages }) => (
          <Stack gap="xs" role="log" aria-label={t('title')} flex={1}>
            {history.hasNextPage && (
              <Button
                variant="subtle"
                loading={history.isFetchingNextPage}
                onClick={() => void history.fetchNextPage()}
              >
                {t('older')}
              </Button>
            )}
            {pages
              .flatMap(({ items }) => items)
              .toReversed()
              .map((message) => (
                <Message key={message.id} message={message} conversation={conversation} userId={session.userId} />
              ))}
            {pending.map((message) => (
              <UnconfirmedMessage key={message.clientMsgId} message={message} onRetry={() => retry(message)} />
            ))}
            <div ref={end} />
          </Stack>
        )}
      </QueryView>
      <Composer onSend={send} />
    </Stack>
  );
}

/** Marks the newest message as read when the page shows it. */
function useMarkRead(conversation: Conversation | undefined, newest: ChatMessage | undefined): void {
  const { client } = useSession();
  const queries = useQueryClient();
  const conversationId = conversation?.conversationId;
  const isUnread = conversation !== undefined && newest !== undefined && newest.conversationSeq > conversation.readSeq;
  const messageId = newest?.id;
  useEffect(() => {
    if (!isUnread || conversationId === undefined || messageId === undefined) return;
    // The next message repeats an attempt that failed.
    client.messages
      .markRead({ conversationId, messageId })
      .then(() => queries.invalidateQueries({ queryKey: ['conversations', 'list'] }))
      .catch(() => undefined);
  }, [client, queries, conversationId, messageId, isUnread]);
}

function Message({
  message,
  conversation,
  userId,
}: {
  message: ChatMessage;
  conversation: Conversation | undefined;
  userId: string;
}) {
  const t = useTexts(texts);
  const textOf = useMessageText();
  const { from, cid, conversationSeq, time } = message;
  const isOwn = cid === null && from.id === userId;
  const sender = conversation?.members.find((member) =>
    cid === null ? member.userId === from.id : member.cid === cid,
  );
  const isRead = conversation?.members.some((member) => member !== sender && member.readSeq >= conversationSeq);
  return (
    <Bubble isOwn={isOwn} text={textOf(message)} isEmoji={message.kind === 'ChatEmojiMessage'}>
      {!isOwn && `${sender?.name ?? t('unknown')} · `}
      <RelativeTime time={time} />
      {isOwn && ` · ${t(isRead ? 'read' : 'sent')}`}
    </Bubble>
  );
}

function UnconfirmedMessage({ message, onRetry }: { message: PendingMessage; onRetry: () => void }) {
  const t = useTexts(texts);
  const textOf = useMessageText();
  const errorText = useErrorText();
  const { kind, ...payload } = message.draft;
  return (
    <Bubble isOwn text={textOf({ kind, payload })} isEmoji={kind === 'ChatEmojiMessage'}>
      {message.error === undefined ? (
        t('sending')
      ) : (
        <>
          {t('notSent')}: {errorText(message.error)}{' '}
          <Button size="compact-sm" variant="subtle" onClick={onRetry}>
            {t('retry')}
          </Button>
        </>
      )}
    </Bubble>
  );
}

function Bubble({
  isOwn,
  text,
  isEmoji,
  children,
}: {
  isOwn: boolean;
  text: string;
  isEmoji: boolean;
  children: ReactNode;
}) {
  return (
    <Paper
      withBorder
      p="sm"
      maw="85%"
      radius="lg"
      style={{ alignSelf: isOwn ? 'end' : 'start', overflowWrap: 'anywhere' }}
    >
      <Text size={isEmoji ? 'xl' : 'md'} style={{ whiteSpace: 'pre-wrap' }}>
        {text}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        {children}
      </Text>
    </Paper>
  );
}

/** The longest text that the service accepts. */
const MAX_TEXT_LENGTH = 2_000;

function Composer({ onSend }: { onSend: (draft: Draft) => void }) {
  const t = useTexts(texts);
  const [text, setText] = useState('');
  const [isChoosing, setChoosing] = useState(false);
  const choose = (emoji: EmojiCode) => {
    setChoosing(false);
    onSend({ kind: 'ChatEmojiMessage', emoji });
  };
  return (
    <Group
      component="form"
      wrap="nowrap"
      pos="sticky"
      bottom={72}
      gap="xs"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        onSend({ kind: 'ChatTextMessage', text });
        setText('');
      }}
    >
      <Popover opened={isChoosing} onChange={setChoosing} trapFocus>
        <Popover.Target>
          <ActionIcon aria-label={t('chooseEmoji')} onClick={() => setChoosing(!isChoosing)}>
            <IconMoodSmile aria-hidden />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <SimpleGrid cols={5} spacing={4}>
            {(Object.keys(EMOJI) as EmojiCode[]).map((emoji) => (
              <ActionIcon key={emoji} aria-label={emoji} onClick={() => choose(emoji)}>
                {EMOJI[emoji]}
              </ActionIcon>
            ))}
          </SimpleGrid>
        </Popover.Dropdown>
      </Popover>
      <TextInput
        flex={1}
        aria-label={t('message')}
        placeholder={t('message')}
        maxLength={MAX_TEXT_LENGTH}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <ActionIcon type="submit" variant="filled" aria-label={t('send')}>
        <IconSend aria-hidden />
      </ActionIcon>
    </Group>
  );
}
