import { ActionIcon, Box, Group } from '@mantine/core';
import { TbX } from 'react-icons/tb';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Composer } from './composer.js';
import type { MediaDraft } from './outbox-state.js';
import type { Conversation } from './queries.js';
import { Quote } from './quote.js';
import { useOutbox } from './use-outbox.js';
import { useTextField } from './use-text-field.js';

interface ConversationComposerProps {
  conversationId: string;
  conversation: Conversation | undefined;
  cloudID: string | undefined;
  field: RefObject<HTMLInputElement | null>;
  onOpen: (messageId: string) => void;
  onSent: () => void;
}

/** The field for a new message of one conversation; what is in it survives a reload. */
export function ConversationComposer(props: ConversationComposerProps) {
  const { conversationId, cloudID, field: ref, onSent } = props;
  const { outbox, quoteOf } = useOutbox(conversationId);
  const field = useTextField(ref, outbox.unsentOf(conversationId).text, (text) =>
    outbox.setUnsent(conversationId, { text }),
  );
  const removeQuote = () => outbox.setUnsent(conversationId, { quoteOf: undefined });
  const answer = quoteOf === undefined ? {} : { quoteOf };
  const sendFiles = ([first, ...others]: readonly MediaDraft[], caption: string) => {
    if (first) outbox.addFiles(conversationId, [{ ...first, ...answer }, ...others], caption, cloudID);
    removeQuote();
    onSent();
  };
  return (
    <Composer
      field={field}
      canSendMedia={cloudID !== undefined}
      quote={quoteOf !== undefined && <QuoteOfNext {...props} quoteOf={quoteOf} onRemove={removeQuote} />}
      onSend={(draft) => {
        outbox.add(conversationId, { ...draft, ...answer }, cloudID);
        removeQuote();
        onSent();
      }}
      onSendFiles={sendFiles}
    />
  );
}

interface QuoteOfNextProps extends Pick<ConversationComposerProps, 'conversationId' | 'conversation' | 'onOpen'> {
  quoteOf: string;
  onRemove: () => void;
}

/** The message that the next one answers. */
function QuoteOfNext({ conversationId, conversation, quoteOf, onOpen, onRemove }: QuoteOfNextProps) {
  const { t } = useTranslation('conversations');
  return (
    <Group wrap="nowrap" gap={4} role="group" aria-label={t('answerTo')}>
      <Box flex={1} miw={0}>
        <Quote conversationId={conversationId} conversation={conversation} onOpen={onOpen} messageId={quoteOf} />
      </Box>
      <ActionIcon aria-label={t('noAnswer')} title={t('noAnswer')} onClick={onRemove}>
        <TbX aria-hidden />
      </ActionIcon>
    </Group>
  );
}
