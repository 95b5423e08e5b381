import { Box, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useSession } from '../../core/session/use-session.js';
import { useIsWide } from '../../ui/use-is-wide.js';
import { ConversationComposer } from './conversation-composer.js';
import { ConversationHeader } from './conversation-header.js';
import { ConversationMessages } from './conversation-messages.js';
import { MessageSearch } from './message-search.js';
import {
  closePlace,
  cloudOfConversationQuery,
  conversationsQuery,
  historyQuery,
  type ChatMessage,
  type Conversation,
} from './queries.js';
import { useMessageActions } from './use-message-actions.js';
import { useOutbox } from './use-outbox.js';

const route = getRouteApi('/signed-in/chat/chat/$conversationId');

/** The messages of one conversation, the newest at the bottom, and the field for a new one. */
export function ConversationPage() {
  const { conversationId } = route.useParams();
  // What one conversation has typed and recorded must not appear in the next one.
  return <ConversationView key={conversationId} conversationId={conversationId} />;
}

function ConversationView({ conversationId }: { conversationId: string }) {
  const session = useSession();
  const queries = useQueryClient();
  const { outbox, isRestored } = useOutbox(conversationId);
  const conversations = useQuery(conversationsQuery(session));
  const conversation = conversations.data?.items.find((each) => each.conversationId === conversationId);
  const cloudID = useQuery(cloudOfConversationQuery(session, conversation)).data;
  const history = useQuery(historyQuery(session, conversationId, queries)).data;
  const hasList = useIsWide();
  const [search, setSearch] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const messageActions = useMessageActions(conversationId, (messageId) => {
    outbox.setUnsent(conversationId, { quoteOf: messageId });
    // The menu keeps the focus until it is closed.
    setTimeout(() => field.current?.focus());
  });
  const { actions, showNewest, forgetOpened } = messageActions;
  useMarkRead(conversation, history?.messages.at(-1));
  useEffect(() => () => closePlace(conversationId, queries), [conversationId, queries]);
  const changeSearch = (changed: string | undefined) => {
    forgetOpened();
    setSearch(changed);
  };
  const shown = { conversationId, conversation, cloudID };
  return (
    <Box flex={1} mih={320} maw={hasList ? undefined : 720} pos="relative">
      {/* The page is as high as the window leaves room for, so that only the messages scroll. */}
      <Stack pos="absolute" inset={0} gap="xs">
        <ConversationHeader conversation={conversation} search={search} onSearch={changeSearch} hasList={hasList} />
        {search === undefined ? (
          <>
            <ConversationMessages {...shown} messageActions={messageActions} />
            {isRestored && <ConversationComposer {...shown} field={field} onOpen={actions.open} onSent={showNewest} />}
          </>
        ) : (
          <MessageSearch
            {...shown}
            text={search}
            onChoose={(messageId) => {
              setSearch(undefined);
              actions.open(messageId);
            }}
          />
        )}
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
