import { Box, Button, Center, Loader, Text, VisuallyHidden } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { RefObject } from 'react';
import { useSession } from '../../app/session/use-session.js';
import { useLanguage, useTexts } from '../../app/texts.js';
import { formatDay } from '../../ui/format.js';
import { Message, UnconfirmedMessage } from './message.js';
import { useMessageText } from './shared/message-text.js';
import type { History } from './history.js';
import type { PendingMessage } from './outbox-state.js';
import { loadEarlier } from './queries.js';
import type { Conversation } from './queries.js';
import { rowsOf } from './rows.js';
import { texts } from './texts.js';

/** Pixels of a row before it is measured. */
const ESTIMATED_ROW_HEIGHT = 76;
/** Distance from the end at which the list still follows new messages. */
const END_THRESHOLD_PX = 80;
/** Earlier messages are loaded when fewer rows than this are left above the visible ones. */
const EARLIER_THRESHOLD_ROWS = 15;

interface MessageListProps {
  history: History;
  pending: readonly PendingMessage[];
  conversationId: string;
  conversation: Conversation | undefined;
  cloudID: string | undefined;
  onRetry: (message: PendingMessage) => void;
  onDiscard: (message: PendingMessage) => void;
}

/**
 * The messages, of which the page contains only the visible ones. The list stays at its end when messages arrive and
 * does not move when earlier ones are loaded.
 */
export function MessageList({
  history,
  pending,
  conversationId,
  conversation,
  cloudID,
  onRetry,
  onDiscard,
}: MessageListProps) {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const { userId } = useSession();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(history.messages, pending), [history.messages, pending]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_THRESHOLD_PX,
    overscan: 6,
    gap: 8,
  });
  const lastWritten = pending.at(-1)?.clientMsgId;
  // At first, and when the person writes: what was just written must be seen.
  useLayoutEffect(() => virtualizer.scrollToEnd(), [virtualizer, lastWritten]);
  const keepAtEnd = useKeepAtEnd(scroller, virtualizer);
  const items = virtualizer.getVirtualItems();
  const earlier = useEarlierMessages(history, conversationId, items[0]?.index);
  return (
    <>
      <NewestMessageStatus history={history} />
      {rows.length === 0 && (
        <Text c="dimmed" ta="center" py="xl">
          {t('noMessages')}
        </Text>
      )}
      {earlier.isPending && (
        <Center>
          <Loader size="sm" aria-label={t('older')} />
        </Center>
      )}
      {earlier.isError && (
        <Button variant="subtle" onClick={() => earlier.mutate()}>
          {t('older')}
        </Button>
      )}
      <Box
        ref={scroller}
        onScroll={keepAtEnd}
        mih={0}
        tabIndex={0}
        role="region"
        aria-label={t('messages')}
        style={{ overflowY: 'auto' }}
      >
        <Box pos="relative" h={virtualizer.getTotalSize()}>
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            return (
              <Box
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                pos="absolute"
                top={0}
                left={0}
                right={0}
                style={{ transform: `translateY(${start}px)` }}
              >
                {row?.type === 'day' && (
                  <Text size="xs" c="dimmed" ta="center">
                    {formatDay(row.time, language)}
                  </Text>
                )}
                {row?.type === 'message' && (
                  <Message message={row.message} conversation={conversation} userId={userId} cloudID={cloudID} />
                )}
                {row?.type === 'pending' && (
                  <UnconfirmedMessage
                    message={row.pending}
                    onRetry={() => onRetry(row.pending)}
                    onDiscard={() => onDiscard(row.pending)}
                  />
                )}
              </Box>
            );
          })}
        </Box>
      </Box>
    </>
  );
}

/**
 * Keeps the end of the list visible when the list becomes lower, for example by the keyboard of a phone. Returns the
 * callback for scrolling.
 */
function useKeepAtEnd(
  scroller: RefObject<HTMLDivElement | null>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): () => void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => isAtEnd.current && virtualizer.scrollToEnd());
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, virtualizer]);
  return () => {
    isAtEnd.current = virtualizer.isAtEnd(END_THRESHOLD_PX);
  };
}

/** Loads the messages before the first one when the person scrolls near it. */
function useEarlierMessages({ earlierCursor }: History, conversationId: string, firstVisible: number | undefined) {
  const session = useSession();
  const queries = useQueryClient();
  const load = useMutation({ mutationFn: () => loadEarlier(session, conversationId, queries) });
  const { mutate, isIdle, isSuccess } = load;
  const isNear = firstVisible !== undefined && firstVisible < EARLIER_THRESHOLD_ROWS;
  const isReady = isIdle || isSuccess;
  useEffect(() => {
    // After a failure, the person decides when the next attempt is.
    if (isNear && isReady && earlierCursor !== null) mutate();
  }, [isNear, isReady, earlierCursor, mutate]);
  return load;
}

/** Says new messages to those who do not see them. The list itself changes with each scrolling and must be silent. */
function NewestMessageStatus({ history }: { history: History }) {
  const t = useTexts(texts);
  const textOf = useMessageText();
  const { userId } = useSession();
  const atFirst = useRef(history.messages.at(-1)?.id);
  const newest = history.messages.at(-1);
  const isNew = newest !== undefined && newest.id !== atFirst.current && newest.from.id !== userId;
  return <VisuallyHidden role="status">{isNew && t('newMessage', { text: textOf(newest) })}</VisuallyHidden>;
}
