import { Text } from '@mantine/core';
import type { ChatMessage } from '../queries.js';
import { MessageMedia, type MessageMediaProps } from './message-media.js';
import { useMessageText } from './message-text.js';

interface MessageContentProps extends Pick<MessageMediaProps, 'session' | 'maxSize'> {
  message: ChatMessage;
  /** The cloud that contains the files of the conversation; undefined until it is known. */
  cloudID: string | undefined;
  textSize?: 'sm' | 'md';
}

/** What a message says or shows, for the pages of the parents and for the watch in the browser. */
export function MessageContent({ message, cloudID, textSize = 'md', ...media }: MessageContentProps) {
  const textOf = useMessageText();
  const { kind, payload } = message;
  const isMedia = kind !== 'ChatTextMessage' && kind !== 'ChatEmojiMessage';
  if (payload !== null && isMedia && cloudID !== undefined)
    return <MessageMedia kind={kind} payload={payload} cloudID={cloudID} {...media} />;
  return (
    // A text has the direction of its own language.
    <Text
      dir="auto"
      size={kind === 'ChatEmojiMessage' && payload !== null ? 'xl' : textSize}
      fs={payload === null ? 'italic' : undefined}
      style={{ whiteSpace: 'pre-wrap' }}
    >
      {textOf(message)}
    </Text>
  );
}
