import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { isOwnZone } from '../../../ui/format.js';
import { PageTitle } from '../../../ui/page-title.js';
import { childDetailQuery } from '../queries.js';
import { useWatch } from './use-watch.js';

/** Clocks that change for the summer differ from others in a part of the year. */
const HALF_YEAR_MS = 182 * 86_400_000;

interface SettingsPageProps {
  title: string;
  /** Whether the page shows times of day, which are those of the child. */
  hasTimes?: boolean;
  children: ReactNode;
}

/** The frame of one settings page. */
export function SettingsPage({ title, hasTimes = false, children }: SettingsPageProps) {
  const { cid, name } = useWatch();
  return (
    <Stack maw={720}>
      <PageTitle title={`${title} · ${name}`} back={{ to: '/children/$cid/settings', params: { cid } }} />
      {hasTimes && <TimesOfChild />}
      {children}
    </Stack>
  );
}

/** Returns the time zone of the child, in which a page with `hasTimes` shows all times, when it is known. */
export function useChildTimeZone(): string | undefined {
  const { cid } = useWatch();
  return useQuery(childDetailQuery(useSession(), cid)).data?.timeZone;
}

/** Names the time zone of the child if the clock of the browser shows another time now or in half a year. */
function TimesOfChild() {
  const { t } = useTranslation('locations');
  const timeZone = useChildTimeZone();
  if (timeZone === undefined || isOwnZone(timeZone, Date.now(), Date.now() + HALF_YEAR_MS)) return null;
  return (
    <Text size="sm" c="dimmed">
      {t('timeZone', { timeZone })}
    </Text>
  );
}
