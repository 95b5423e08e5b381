import { ActionIcon, Box, Group, Stack, Title } from '@mantine/core';
import { TbArrowLeft } from 'react-icons/tb';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { QueryView } from '../../ui/query-view.js';
import { CallButtons } from '../calls/call-buttons.js';
import { Composer } from './composer.js';
import type { History } from './history.js';
import { useConversationName } from './shared/message-text.js';
import { MessageList } from './message-list.js';
import { cloudOfConversationQuery, conversationsQuery, historyQuery } from './queries.js';
import type { ChatMessage, Conversation } from './queries.js';
import { texts } from './texts.js';
import { useOutbox } from './use-outbox.js';

const EMPTY_HISTORY: History = { messages: [], earlierCursor: null };

const route = getRouteApi('/signed-in/chat/$conversationId');

/** The messages of one conversation, the newest at the bottom, and the field for a new one. */
export function ConversationPage() {
  const { conversationId } = route.useParams();
  // What one conversation has typed and recorded must not appear in the next one.
  return <ConversationView key={conversationId} conversationId={conversationId} />;
}

function ConversationView({ conversationId }: { conversationId: string }) {
  const t = useTexts(texts);
  const session = useSession();
  const queries = useQueryClient();
  const conversations = useQuery(conversationsQuery(session));
  const history = useQuery(historyQuery(session, conversationId, queries));
  const nameOf = useConversationName(session.userId);
  const { outbox, pending } = useOutbox(conversationId);
  const conversation = conversations.data?.items.find((each) => each.conversationId === conversationId);
  const cloud = useQuery(cloudOfConversationQuery(session, conversation));
  useMarkRead(conversation, history.data?.messages.at(-1));
  // What the person has just written is shown even if the earlier messages could not be loaded.
  const shownHistory = history.data ?? (pending.length > 0 ? EMPTY_HISTORY : undefined);
  return (
    <Box flex={1} mih={320} maw={720} pos="relative">
      {/* The page is as high as the window leaves room for, so that only the messages scroll. */}
      <Stack pos="absolute" inset={0} gap="xs">
        <Group wrap="nowrap">
          <ActionIcon renderRoot={(props) => <Link {...props} to="/chat" />} aria-label={t('back')}>
            <TbArrowLeft aria-hidden />
          </ActionIcon>
          <Title order={1} size="h3" flex={1} lineClamp={1}>
            {conversation && nameOf(conversation)}
          </Title>
          {conversation && conversation.type !== 'FRIENDS' && <CallButtons members={conversation.members} />}
        </Group>
        <Stack flex={1} mih={0} gap="xs" style={{ overflow: 'hidden' }} justify="end">
          {(history.data === undefined || history.isError) && <QueryView query={history}>{() => null}</QueryView>}
          {shownHistory && (
            <MessageList
              // A new list when the earlier messages arrive: it is at its end, and does not announce them as new.
              key={String(history.data !== undefined)}
              history={shownHistory}
              pending={pending}
              conversationId={conversationId}
              conversation={conversation}
              cloudID={cloud.data}
              onRetry={(message) => outbox.retry(message)}
              onDiscard={(message) => outbox.discard(message)}
            />
          )}
        </Stack>
        <Composer
          initialText={outbox.texts.get(conversationId) ?? ''}
          onText={(text) => outbox.texts.set(conversationId, text)}
          canSendMedia={cloud.data !== undefined}
          onSend={(draft) => outbox.add(conversationId, draft, cloud.data)}
        />
      </Stack>
    </Box>
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
