import { ActionIcon, Button, Group, Paper, Progress, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { TbArrowBackUp } from 'react-icons/tb';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { memo, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '../../app/errors/error-texts.js';
import { useSession } from '../../app/session/use-session.js';
import { useLanguage, useTexts } from '../../app/texts.js';
import { formatTime } from '../../ui/format.js';
import { MessageContent } from './shared/message-content.js';
import { LocalMedia } from './shared/message-media.js';
import { useMessageText } from './shared/message-text.js';
import { isMediaMessage } from './outbox-state.js';
import type { PendingMessage } from './outbox-state.js';
import type { ChatMessage, Conversation } from './queries.js';
import { findReceipt } from './receipt.js';
import { texts } from './texts.js';

/** How long its sender can recall a message, in milliseconds. */
const RECALL_WINDOW_MS = 2 * 60_000;

interface MessageProps {
  message: ChatMessage;
  conversation: Conversation | undefined;
  userId: string;
  cloudID: string | undefined;
}

/** A message that the service has stored. The list renders with each scrolling, its messages do not. */
export const Message = memo(function Message({ message, conversation, userId, cloudID }: MessageProps) {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const session = useSession();
  const { from, cid, time, payload } = message;
  const isOwn = cid === null && from.id === userId;
  const sender = conversation?.members.find((member) =>
    cid === null ? member.userId === from.id : member.cid === cid,
  );
  return (
    <Group justify={isOwn ? 'end' : 'start'} gap={0} wrap="nowrap">
      {isOwn && payload !== null && <RecallButton message={message} />}
      <Bubble isOwn={isOwn}>
        <MessageContent session={session} message={message} cloudID={cloudID} />
        <Text size="xs" c={isOwn ? undefined : 'dimmed'} component="div">
          {!isOwn && `${sender?.name ?? t('unknown')} · `}
          <time dateTime={new Date(time).toISOString()}>{formatTime(time, language)}</time>
          {isOwn && payload !== null && conversation && (
            <ReceiptText conversationSeq={message.conversationSeq} conversation={conversation} userId={userId} />
          )}
        </Text>
      </Bubble>
    </Group>
  );
});

function ReceiptText({
  conversationSeq,
  conversation,
  userId,
}: {
  conversationSeq: number;
  conversation: Conversation;
  userId: string;
}) {
  const t = useTexts(texts);
  const { status, readers, others } = findReceipt(conversationSeq, conversation.members, userId);
  return <> · {status === 'read' && others > 1 ? t('readBy', { count: readers, others }) : t(status)}</>;
}

/** Takes back an own message, while the service permits it. */
function RecallButton({ message: { id, time } }: { message: ChatMessage }) {
  const t = useTexts(texts);
  const { client } = useSession();
  const queries = useQueryClient();
  const errorText = useErrorText();
  const isPossible = useIsBefore(time + RECALL_WINDOW_MS);
  const recall = useMutation({
    mutationFn: () => client.messages.recall({ messageId: id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['conversations'] }),
    onError: (error) => notifications.show({ message: errorText(error), color: 'orange', role: 'alert' }),
  });
  if (!isPossible) return null;
  return (
    <ActionIcon aria-label={t('recall')} title={t('recall')} loading={recall.isPending} onClick={() => recall.mutate()}>
      <TbArrowBackUp size={18} aria-hidden />
    </ActionIcon>
  );
}

function useIsBefore(end: number): boolean {
  const [isBefore, setBefore] = useState(() => Date.now() < end);
  useEffect(() => {
    const remaining = end - Date.now();
    setBefore(remaining > 0);
    if (remaining <= 0) return;
    const timer = setTimeout(() => setBefore(false), remaining);
    return () => clearTimeout(timer);
  }, [end]);
  return isBefore;
}

/** A message that the service has not confirmed, with what the person can do about it. */
export function UnconfirmedMessage({
  message: { draft, state, progress, error },
  onRetry,
  onDiscard,
}: {
  message: PendingMessage;
  onRetry: () => void;
  onDiscard: () => void;
}) {
  const t = useTexts(texts);
  const textOf = useMessageText();
  const errorText = useErrorText();
  const { kind, ...payload } = draft;
  const percent = Math.round(progress * 100);
  return (
    <Group justify="end">
      <Bubble isOwn>
        {isMediaMessage(draft) ? (
          <LocalMedia draft={draft} />
        ) : (
          <Text size={kind === 'ChatEmojiMessage' ? 'xl' : 'md'} style={{ whiteSpace: 'pre-wrap' }}>
            {textOf({ kind, payload })}
          </Text>
        )}
        {state === 'UPLOADING' && <Progress value={percent} my={4} aria-label={t('uploading', { percent })} />}
        <Text size="xs" component="div" role={state === 'FAILED' ? 'alert' : undefined}>
          {state === 'UPLOADING' && t('uploading', { percent })}
          {state === 'SENDING' && t('sending')}
          {state === 'WAITING' && t(error === undefined ? 'sending' : 'waiting')}
          {state === 'FAILED' && `${t('notSent')}: ${errorText(error)}`}
        </Text>
        <Group gap={0} justify="end">
          {state === 'FAILED' && (
            <Button size="sm" h={44} variant="subtle" onClick={onRetry}>
              {t('retry')}
            </Button>
          )}
          {(state === 'FAILED' || state === 'UPLOADING') && (
            <Button size="sm" h={44} variant="subtle" color="gray" onClick={onDiscard}>
              {t(state === 'FAILED' ? 'discard' : 'cancel')}
            </Button>
          )}
        </Group>
      </Bubble>
    </Group>
  );
}

function Bubble({ isOwn, children }: { isOwn: boolean; children: ReactNode }) {
  return (
    <Paper
      withBorder
      px="sm"
      py="xs"
      maw="85%"
      radius="lg"
      bg={isOwn ? 'var(--mantine-primary-color-light)' : undefined}
      style={{ overflowWrap: 'anywhere' }}
    >
      {children}
    </Paper>
  );
}
