import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageTitle } from '../../../ui/page-title.js';
import { useWatch } from './use-watch.js';

/** The frame of one settings page. */
export function SettingsPage({ title, children }: { title: string; children: ReactNode }) {
  const { cid } = useWatch();
  return (
    <Stack maw={720}>
      <PageTitle title={title} back={{ to: '/children/$cid/settings', params: { cid } }} />
      {children}
    </Stack>
  );
}
