import { ActionIcon, Popover, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { TbMoodSmile } from 'react-icons/tb';
import { useTranslation } from 'react-i18next';
import { EMOJI } from './emoji.js';

/** The emoji that watches can show. The choice stays open, because a person often chooses several. */
export function EmojiPicker({ onChoose }: { onChoose: (emoji: string) => void }) {
  const { t } = useTranslation('conversations');
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="top-start">
      <Popover.Target>
        <ActionIcon aria-label={t('chooseEmoji')} onClick={() => setOpen(!isOpen)}>
          <TbMoodSmile aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={4}>
        <SimpleGrid cols={5} spacing={4}>
          {Object.values(EMOJI).map((emoji) => (
            <ActionIcon key={emoji} onClick={() => onChoose(emoji)}>
              {emoji}
            </ActionIcon>
          ))}
        </SimpleGrid>
      </Popover.Dropdown>
    </Popover>
  );
}
