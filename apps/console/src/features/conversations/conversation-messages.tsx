import { Button, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { TbArrowDown } from 'react-icons/tb';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { QueryView } from '../../ui/query-view.js';
import type { History } from './history.js';
import { MessageList, NewestMessageStatus } from './message-list.js';
import { historyQuery, placeQuery, type Conversation } from './queries.js';
import type { useMessageActions } from './use-message-actions.js';
import { useOutbox } from './use-outbox.js';

const EMPTY_HISTORY: History = { messages: [], earlierCursor: null };

interface ConversationMessagesProps {
  conversationId: string;
  conversation: Conversation | undefined;
  cloudID: string | undefined;
  messageActions: ReturnType<typeof useMessageActions>;
}

/** The newest messages, or those around a message that the person has opened. */
export function ConversationMessages({ conversationId, messageActions, ...shared }: ConversationMessagesProps) {
  const { t } = useTranslation('conversations');
  const session = useSession();
  const queries = useQueryClient();
  const { outbox, pending } = useOutbox(conversationId);
  const history = useQuery(historyQuery(session, conversationId, queries));
  const place = useQuery(placeQuery(conversationId)).data;
  const { actions, opened, recalling, showNewest } = messageActions;
  // What the person has just written is shown even if the earlier messages could not be loaded.
  const newest = history.data ?? (pending.length > 0 ? EMPTY_HISTORY : undefined);
  const shown = place ?? newest;
  const isPlace = place !== null;
  return (
    <Stack flex={1} mih={0} gap="xs" style={{ overflow: 'hidden' }} justify="end">
      {history.data && <NewestMessageStatus history={history.data} />}
      {(history.data === undefined || history.isError) && <QueryView query={history}>{() => null}</QueryView>}
      {shown && (
        <MessageList
          // A new list when the earlier messages arrive, which is at its end, and where the person opens a message.
          key={`${history.data !== undefined} ${shown.openedAt}`}
          history={shown}
          isPlace={isPlace}
          pending={pending}
          conversationId={conversationId}
          actions={actions}
          opened={opened}
          recalling={recalling}
          {...shared}
          onRetry={(message) => outbox.retry(message)}
          onDiscard={(message) => outbox.discard(message)}
        />
      )}
      {isPlace && (
        <Button variant="light" flex="none" leftSection={<TbArrowDown aria-hidden />} onClick={showNewest}>
          {t('toNewest')}
        </Button>
      )}
    </Stack>
  );
}
