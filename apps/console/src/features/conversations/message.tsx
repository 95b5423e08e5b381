import { Button, Group, Paper, Progress, Text } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../core/errors/error-texts.js';
import { useSession } from '../../core/session/use-session.js';
import { useLanguage } from '../../core/texts.js';
import { formatTime } from '../../ui/format.js';
import { MessageMenu, useMessageMenu, type MessageActions } from './message-menu.js';
import { Quote } from './quote.js';
import { MessageContent } from './shared/message-content.js';
import { LocalMedia } from './shared/message-media.js';
import { isOwnMessage, useSenderName } from './shared/sender-name.js';
import { isMediaMessage, type PendingMessage } from './outbox-state.js';
import type { ChatMessage, Conversation } from './queries.js';
import { findReceipt } from './receipt.js';

interface MessageProps {
  message: ChatMessage;
  conversationId: string;
  conversation: Conversation | undefined;
  userId: string;
  cloudID: string | undefined;
  actions: MessageActions;
  /** Whether the message is being recalled, which the person can still take back. */
  isRecalling: boolean;
}

/** A message that the service has stored. The list renders with each scrolling, its messages do not. */
export const Message = memo(function Message({ message, isRecalling, userId, actions, ...props }: MessageProps) {
  const { t } = useTranslation('conversations');
  const { handlers, menu } = useMessageMenu();
  const isOwn = isOwnMessage(message, userId);
  const hasMenu = message.payload !== null && !isRecalling;
  const button = hasMenu && <MessageMenu message={message} isOwn={isOwn} menu={menu} actions={actions} />;
  return (
    <Group justify={isOwn ? 'end' : 'start'} gap={0} wrap="nowrap" {...(hasMenu && handlers)}>
      {isOwn && button}
      <Bubble isOwn={isOwn}>
        {isRecalling ? (
          <Text fs="italic">{t('recalling')}</Text>
        ) : (
          <StoredContent message={message} isOwn={isOwn} userId={userId} onOpen={actions.open} {...props} />
        )}
      </Bubble>
      {!isOwn && button}
    </Group>
  );
});

interface StoredContentProps extends Omit<MessageProps, 'actions' | 'isRecalling'> {
  isOwn: boolean;
  onOpen: (messageId: string) => void;
}

function StoredContent({ message, isOwn, conversationId, conversation, userId, cloudID, onOpen }: StoredContentProps) {
  const [language] = useLanguage();
  const session = useSession();
  const nameOf = useSenderName(conversation, userId);
  const { time, payload } = message;
  const quoteOf = quoteOfPayload(payload);
  return (
    <>
      {quoteOf !== undefined && (
        <Quote conversationId={conversationId} conversation={conversation} onOpen={onOpen} messageId={quoteOf} />
      )}
      <MessageContent session={session} message={message} cloudID={cloudID} />
      <Text size="xs" c={isOwn ? undefined : 'dimmed'} component="div">
        {!isOwn && `${nameOf(message)} · `}
        <time dateTime={new Date(time).toISOString()}>{formatTime(time, language)}</time>
        {isOwn && payload !== null && conversation && (
          <ReceiptText conversationSeq={message.conversationSeq} conversation={conversation} userId={userId} />
        )}
      </Text>
    </>
  );
}

function quoteOfPayload(payload: ChatMessage['payload']): string | undefined {
  const quoteOf = payload?.['quoteOf'];
  return typeof quoteOf === 'string' ? quoteOf : undefined;
}

function ReceiptText({
  conversationSeq,
  conversation,
  userId,
}: {
  conversationSeq: number;
  conversation: Conversation;
  userId: string;
}) {
  const { t } = useTranslation('conversations');
  const { status, readers, others } = findReceipt(conversationSeq, conversation.members, userId);
  return <> · {status === 'read' && others > 1 ? t('readBy', { count: readers, others }) : t(status)}</>;
}

/** A message that the service has not confirmed, with what the person can do about it. */
export function UnconfirmedMessage({
  message: { conversationId, draft, state, progress, error, isNotKept },
  conversation,
  onRetry,
  onDiscard,
}: {
  message: PendingMessage;
  conversation: Conversation | undefined;
  onRetry: () => void;
  onDiscard: () => void;
}) {
  const { t } = useTranslation('conversations');
  const errorText = useErrorText();
  const percent = Math.round(progress * 100);
  return (
    <Group justify="end">
      <Bubble isOwn>
        {draft.quoteOf !== undefined && (
          <Quote conversationId={conversationId} conversation={conversation} messageId={draft.quoteOf} />
        )}
        {isMediaMessage(draft) ? (
          <LocalMedia draft={draft} />
        ) : (
          <Text style={{ whiteSpace: 'pre-wrap' }}>{draft.text}</Text>
        )}
        {state === 'UPLOADING' && <Progress value={percent} my={4} aria-label={t('uploading', { percent })} />}
        <Text size="xs" component="div" role={state === 'FAILED' ? 'alert' : undefined}>
          {state === 'UPLOADING' && t('uploading', { percent })}
          {state === 'SENDING' && t('sending')}
          {state === 'WAITING' && t(error === undefined ? 'sending' : 'waiting')}
          {state === 'FAILED' && `${t('notSent')}: ${errorText(error)}`}
        </Text>
        {isNotKept && (
          <Text size="xs" role="alert">
            {t('notKept')}
          </Text>
        )}
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
