import { Group, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import {
  TbBattery1,
  TbDeviceWatch,
  TbDownload,
  TbMapPins,
  TbMoodKid,
  TbPhoto,
  TbShare,
  TbShieldLock,
  TbShoppingCart,
  TbUrgent,
  TbUserPlus,
  TbUsers,
  TbVideo,
} from 'react-icons/tb';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CenterMessage } from './queries.js';
import type { Subject } from './subjects.js';

const ICONS = {
  SOS: TbUrgent,
  FENCE: TbMapPins,
  LOCATION: TbShare,
  BATTERY: TbBattery1,
  WATCH: TbDeviceWatch,
  CALL: TbVideo,
  FAMILY: TbUsers,
  FRIEND: TbMoodKid,
  APPLICATION: TbUserPlus,
  SIGN_IN: TbShieldLock,
  ALBUM: TbPhoto,
  ORDER: TbShoppingCart,
  FIRMWARE: TbDownload,
} satisfies Record<CenterMessage['category'], unknown>;

interface MessageRowProps {
  category: CenterMessage['category'];
  text: string;
  time: string;
  subject: Subject | { to: '/messages'; search: { message: string }; resetScroll: false };
  /** Whether the subject is beside the list. */
  isOpen?: boolean;
  isUnread: boolean;
  onOpen: () => void;
  /** What can be done with the message beside opening it. */
  children?: ReactNode;
}

/** A message in one line, or more on a narrow display, which opens what the message is about. */
export function MessageRow({
  category,
  text,
  time,
  subject,
  isOpen = false,
  isUnread,
  onOpen,
  children,
}: MessageRowProps) {
  const { t } = useTranslation('messageCenter');
  const Icon = ICONS[category];
  return (
    <Group wrap="nowrap" gap="xs">
      <UnstyledButton
        flex={1}
        miw={0}
        py="xs"
        px={isOpen ? 'xs' : 0}
        bg={isOpen ? 'var(--mantine-color-default-hover)' : undefined}
        aria-current={isOpen || undefined}
        renderRoot={(props) => <Link {...props} {...subject} onClick={onOpen} />}
      >
        <Group wrap="nowrap" gap="sm" mih={28}>
          {/* Red is for SOS. */}
          <Icon aria-hidden color={category === 'SOS' ? 'var(--mantine-color-error)' : undefined} />
          <Text flex={1} miw={0} size="sm" fw={isUnread ? 700 : 400}>
            {isUnread && <VisuallyHidden>{t('isUnread')} </VisuallyHidden>}
            {text}
          </Text>
          <Text size="sm" c="dimmed" flex="none">
            {time}
          </Text>
        </Group>
      </UnstyledButton>
      {children}
    </Group>
  );
}
