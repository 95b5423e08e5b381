import { ActionIcon, Menu } from '@mantine/core';
import { useClipboard, useLongPress } from '@mantine/hooks';
import { TbArrowBackUp, TbCopy, TbDots, TbMessageReply } from 'react-icons/tb';
import { useState, type MouseEvent, type SyntheticEvent, type TouchEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { UNDO_MS } from '../../ui/use-undo.js';
import type { ChatMessage } from './queries.js';
import { useMessageText } from './shared/message-text.js';

/** How long the service permits the sender to recall a message, in milliseconds. */
const RECALL_WINDOW_MS = 2 * 60_000;
/** The recall is sent when the person cannot take it back any more, and takes a moment. */
const RECALL_OFFER_MS = RECALL_WINDOW_MS - UNDO_MS - 1_000;
/** Characters of the text that name the menu of a message. */
const MAX_LABEL_LENGTH = 40;

/** What a person can do with a message. The same functions for all messages, so that these render only on changes. */
export interface MessageActions {
  reply: (messageId: string) => void;
  recall: (messageId: string) => void;
  /** Shows a message in its place. */
  open: (messageId: string) => void;
}

/** Opens the menu of a message by a long press, a right click or its button, which is visible under the mouse and with the focus. */
export function useMessageMenu() {
  const [isOpen, setOpen] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const longPress = useLongPress(() => setOpen(true), {
    events: ['touch'],
    cancelOnMove: true,
    // The end of a long press is no click, which would close the menu and open the picture under the finger.
    onFinish: (event) => event.preventDefault(),
  });
  const handlers = {
    ...longPress,
    onTouchStart: (event: TouchEvent) => {
      if (isInside(event)) longPress.onTouchStart?.(event);
    },
    onContextMenu: (event: MouseEvent) => {
      if (!isInside(event)) return;
      event.preventDefault();
      setOpen(true);
    },
    onMouseEnter: () => setPointed(true),
    onMouseLeave: () => setPointed(false),
    onFocus: () => setPointed(true),
    onBlur: () => setPointed(false),
  };
  return { handlers, menu: { isOpen, setOpen, isVisible: isOpen || isPointed } };
}

/** Whether an event is not one of the enlarged picture, whose dialog is elsewhere in the page but a child for React. */
function isInside({ currentTarget, target }: SyntheticEvent): boolean {
  return currentTarget.contains(target as Node);
}

interface MessageMenuProps {
  message: ChatMessage;
  isOwn: boolean;
  menu: ReturnType<typeof useMessageMenu>['menu'];
  actions: MessageActions;
}

export function MessageMenu({ message, isOwn, menu, actions }: MessageMenuProps) {
  const { t } = useTranslation('conversations');
  const textOf = useMessageText();
  const clipboard = useClipboard();
  const { id, kind, time } = message;
  const text = textOf(message);
  const isText = kind === 'ChatTextMessage' || kind === 'ChatEmojiMessage';
  const canRecall = menu.isOpen && isOwn && Date.now() < time + RECALL_OFFER_MS;
  return (
    <Menu
      opened={menu.isOpen}
      onChange={menu.setOpen}
      position={isOwn ? 'top-end' : 'top-start'}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon
          color="gray"
          aria-label={t('actions', { text: text.slice(0, MAX_LABEL_LENGTH) })}
          style={{ opacity: menu.isVisible ? 1 : 0, alignSelf: 'center' }}
        >
          <TbDots aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<TbMessageReply aria-hidden />} onClick={() => actions.reply(id)}>
          {t('reply')}
        </Menu.Item>
        {isText && (
          <Menu.Item leftSection={<TbCopy aria-hidden />} onClick={() => clipboard.copy(text)}>
            {t('copy')}
          </Menu.Item>
        )}
        {canRecall && (
          <Menu.Item leftSection={<TbArrowBackUp aria-hidden />} onClick={() => actions.recall(id)}>
            {t('recall')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
