import { Anchor, Stack, Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../../app/texts.js';
import { texts } from './texts.js';
import { useWatch } from './use-watch.js';

/** The frame of one settings page: the way back and the heading. */
export function SettingsPage({ title, children }: { title: string; children: ReactNode }) {
  const t = useTexts(texts);
  const { cid, name } = useWatch();
  return (
    <Stack maw={720}>
      <Anchor
        renderRoot={(props) => <Link {...props} to="/children/$cid/settings" params={{ cid }} />}
        display="inline-flex"
        mih={44}
        style={{ alignItems: 'center', alignSelf: 'start' }}
      >
        <IconChevronLeft aria-hidden size={18} />
        {t('title', { name })}
      </Anchor>
      <Title order={1}>{title}</Title>
      {children}
    </Stack>
  );
}
