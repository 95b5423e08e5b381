import { Box, Button, Center, Loader, Text, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { useLanguage } from '../../core/texts.js';
import { formatDay } from '../../ui/format.js';
import { Message, UnconfirmedMessage } from './message.js';
import type { MessageActions } from './message-menu.js';
import { MessageRow } from './message-row.js';
import { useMessageText } from './shared/message-text.js';
import type { History } from './history.js';
import type { PendingMessage } from './outbox-state.js';
import type { Conversation } from './queries.js';
import { rowsOf, type Row } from './rows.js';
import { END_THRESHOLD_PX, useEarlierMessages, useKeepAtEnd, useLaterMessages } from './use-list-scrolling.js';
import type { OpenedMessage } from './use-message-actions.js';

/** Pixels of a row before it is measured. */
const ESTIMATED_ROW_HEIGHT = 76;

interface MessageListProps {
  history: History;
  /** Whether `history` ends before the newest messages. */
  isPlace: boolean;
  pending: readonly PendingMessage[];
  conversationId: string;
  conversation: Conversation | undefined;
  cloudID: string | undefined;
  actions: MessageActions;
  /** Ids of the messages that are being recalled. */
  recalling: ReadonlySet<string>;
  opened: OpenedMessage | undefined;
  onRetry: (message: PendingMessage) => void;
  onDiscard: (message: PendingMessage) => void;
}

/**
 * The messages, of which the page contains only the visible ones. The list stays at its end when messages arrive and
 * does not move when earlier ones are loaded.
 */
export function MessageList({ history, isPlace, pending, conversationId, opened, ...rowProps }: MessageListProps) {
  const { t } = useTranslation('conversations');
  const isTouched = useMediaQuery('(pointer: coarse)');
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(history.messages, isPlace ? [] : pending), [history.messages, isPlace, pending]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: !isPlace,
    scrollEndThreshold: END_THRESHOLD_PX,
    overscan: 6,
    gap: 8,
  });
  const lastWritten = pending.at(-1)?.clientMsgId;
  // At first, and when the person writes: what was just written must be seen.
  useLayoutEffect(() => virtualizer.scrollToEnd(), [virtualizer, lastWritten]);
  useShowOpened({ rows, isPlace, opened }, virtualizer);
  const keepAtEnd = useKeepAtEnd(scroller, virtualizer);
  const items = virtualizer.getVirtualItems();
  const earlier = useEarlierMessages(history, conversationId, items[0]?.index);
  const last = items.at(-1);
  const lastId = isPlace ? history.messages.at(-1)?.id : undefined;
  const later = useLaterMessages(lastId, conversationId, last && rows.length - 1 - last.index);
  return (
    <>
      {rows.length === 0 && (
        <Text c="dimmed" ta="center" py="xl">
          {t('noMessages')}
        </Text>
      )}
      <Loading label={t('older')} load={earlier} />
      <Box
        ref={scroller}
        onScroll={keepAtEnd}
        mih={0}
        tabIndex={0}
        role="region"
        aria-label={t('messages')}
        // A long press opens the menu of a message and must not select its text.
        style={{ overflowY: 'auto', WebkitTouchCallout: 'none', userSelect: isTouched ? 'none' : undefined }}
      >
        <Box pos="relative" h={virtualizer.getTotalSize()}>
          {items.map((item) => (
            <Box
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              pos="absolute"
              top={0}
              left={0}
              right={0}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <RowContent row={rows[item.index]} conversationId={conversationId} opened={opened} {...rowProps} />
            </Box>
          ))}
        </Box>
      </Box>
      <Loading label={t('later')} load={later} />
    </>
  );
}

/** Scrolls to the message that the person has opened, or to the end. */
function useShowOpened(
  { rows, isPlace, opened }: { rows: readonly Row[]; isPlace: boolean; opened: OpenedMessage | undefined },
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): void {
  const index = opened?.messageId === undefined ? -1 : rows.findIndex(({ key }) => key === opened.messageId);
  const latestIndex = useRef(index);
  latestIndex.current = index;
  // The messages of the place may arrive after the choice of the person.
  const isThere = opened?.messageId === undefined ? !isPlace : index >= 0;
  useLayoutEffect(() => {
    if (!opened || !isThere) return;
    if (latestIndex.current < 0) virtualizer.scrollToEnd();
    else virtualizer.scrollToIndex(latestIndex.current, { align: 'center' });
  }, [virtualizer, opened, isThere]);
}

/** Messages that are being loaded, or a button to try it again. */
function Loading({
  label,
  load,
}: {
  label: string;
  load: { isPending: boolean; isError: boolean; mutate: () => void };
}) {
  if (load.isPending)
    return (
      <Center>
        <Loader size="sm" aria-label={label} />
      </Center>
    );
  return (
    load.isError && (
      <Button variant="subtle" onClick={() => load.mutate()}>
        {label}
      </Button>
    )
  );
}

interface RowContentProps extends Omit<MessageListProps, 'history' | 'isPlace' | 'pending'> {
  row: Row | undefined;
}

function RowContent({
  row,
  conversationId,
  conversation,
  opened,
  recalling,
  onRetry,
  onDiscard,
  ...props
}: RowContentProps) {
  const [language] = useLanguage();
  const { userId } = useSession();
  switch (row?.type) {
    case 'day':
      return (
        <Text size="xs" c="dimmed" ta="center">
          {formatDay(row.time, language)}
        </Text>
      );
    case 'message':
      return (
        <MessageRow isOpened={opened?.messageId === row.message.id}>
          <Message
            message={row.message}
            isRecalling={recalling.has(row.message.id)}
            conversationId={conversationId}
            conversation={conversation}
            userId={userId}
            {...props}
          />
        </MessageRow>
      );
    case 'pending':
      return (
        <UnconfirmedMessage
          message={row.pending}
          conversation={conversation}
          onRetry={() => onRetry(row.pending)}
          onDiscard={() => onDiscard(row.pending)}
        />
      );
    default:
      return null;
  }
}

/** Says new messages to those who do not see them. The list itself changes with each scrolling and must be silent. */
export function NewestMessageStatus({ history }: { history: History }) {
  const { t } = useTranslation('conversations');
  const textOf = useMessageText();
  const { userId } = useSession();
  const atFirst = useRef(history.messages.at(-1)?.id);
  const newest = history.messages.at(-1);
  const isNew = newest !== undefined && newest.id !== atFirst.current && newest.from.id !== userId;
  return <VisuallyHidden role="status">{isNew && t('newMessage', { text: textOf(newest) })}</VisuallyHidden>;
}
