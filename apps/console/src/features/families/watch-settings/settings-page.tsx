import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { isOwnZone } from '../../../ui/format.js';
import { PageTitle } from '../../../ui/page-title.js';
import { childDetailQuery } from '../queries.js';
import { useWatch } from './use-watch.js';

interface SettingsPageProps {
  title: string;
  /** Whether the page shows times of day, which are those of the child. */
  hasTimes?: boolean;
  children: ReactNode;
}

/** The frame of one settings page. */
export function SettingsPage({ title, hasTimes = false, children }: SettingsPageProps) {
  const { cid } = useWatch();
  return (
    <Stack maw={720}>
      <PageTitle title={title} back={{ to: '/children/$cid/settings', params: { cid } }} />
      {hasTimes && <TimesOfChild cid={cid} />}
      {children}
    </Stack>
  );
}

/** Names the time zone of the child if the clock of the browser shows another time. */
function TimesOfChild({ cid }: { cid: string }) {
  const { t } = useTranslation('watchSettings');
  const { data: child } = useQuery(childDetailQuery(useSession(), cid));
  if (!child || isOwnZone(child.timeZone, Date.now())) return null;
  return (
    <Text size="sm" c="dimmed">
      {t('timesOf', { timeZone: child.timeZone })}
    </Text>
  );
}
