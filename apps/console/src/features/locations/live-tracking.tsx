import type { Schema } from '@family-watch/client';
import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { TbRoute } from 'react-icons/tb';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { useLanguage } from '../../core/texts.js';
import { formatTime } from '../../ui/format.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { formatAge } from '../../ui/format-age.js';
import { QueryView } from '../../ui/query-view.js';
import { LIVE_MINUTES } from './live-trail.js';
import { locationModeQuery } from './queries.js';

/** Without a fix for so long, the page says that none comes. */
const FIX_MISSING_MS = 60_000;

interface LiveTrackingProps {
  watch: Schema<'WatchDto'>;
  /** Time of the last fix since live tracking began in Unix milliseconds; null without one, undefined if unknown. */
  lastFix: number | null | undefined;
}

/** Lets the watch report its location as often as it can, for a while. */
export function LiveTracking({ watch: { did, online }, lastFix }: LiveTrackingProps) {
  const { t } = useTranslation('locations');
  const session = useSession();
  const queries = useQueryClient();
  const settings = useQuery(locationModeQuery(session, did));
  const update = useMutation({
    mutationFn: (mode: { mode: 'SAVE' | 'NORMAL' | 'FOLLOW'; expiresIn?: number }) =>
      session.client.locations.updateMode({ did, ...mode }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['watch-settings'] }),
  });
  return (
    <Stack gap="sm">
      <Title order={3} size="h4">
        {t('live')}
      </Title>
      <QueryView query={settings}>
        {(data) =>
          data.locationMode === 'FOLLOW' ? (
            <Stack gap="sm">
              <LiveState settings={data} isOnline={online === true} />
              {data.state === 'APPLIED' && lastFix !== undefined && <LastFix time={lastFix} />}
              <Button
                variant="light"
                loading={update.isPending}
                // Without an end, the mode becomes the permanent one.
                onClick={() => update.mutate({ mode: permanentModeOf(data) })}
              >
                {t('liveStop')}
              </Button>
            </Stack>
          ) : (
            <Stack gap="sm">
              <Text size="sm" c="dimmed">
                {t('liveHint')}
              </Text>
              <Button
                variant="light"
                leftSection={<TbRoute aria-hidden />}
                loading={update.isPending}
                onClick={() => update.mutate({ mode: 'FOLLOW', expiresIn: LIVE_MINUTES * 60 })}
              >
                {t('liveStart', { count: LIVE_MINUTES })}
              </Button>
              {update.isSuccess && (
                <Text size="sm" role="status">
                  {t(data.state === 'PENDING' ? 'liveEndPending' : 'liveEnded')}
                </Text>
              )}
            </Stack>
          )
        }
      </QueryView>
      <ErrorAlert error={update.error} />
    </Stack>
  );
}

function LiveState({ settings, isOnline }: { settings: Schema<'DeviceSettingsDto'>; isOnline: boolean }) {
  const { t } = useTranslation('locations');
  const [language] = useLanguage();
  const { state, reason, locationModeUntil } = settings;
  return (
    <Alert color={state === 'REJECTED' ? 'orange' : 'teal'} variant="light" role="status">
      {locationModeUntil !== null && <Text>{t('liveUntil', { time: formatTime(locationModeUntil, language) })}</Text>}
      <Text size="sm">
        {state === 'PENDING' && t(isOnline ? 'livePending' : 'livePendingOffline')}
        {state === 'APPLIED' && t('liveApplied')}
        {state === 'REJECTED' && t('liveRejected', { reason: reason ?? '' })}
      </Text>
    </Alert>
  );
}

/** How old the last fix is, second by second. */
function LastFix({ time }: { time: number | null }) {
  const { t } = useTranslation('locations');
  const [language] = useLanguage();
  const [begin] = useState(Date.now);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const isMissing = now - (time ?? begin) > FIX_MISSING_MS;
  return (
    <>
      <Text fw={600}>
        {time === null ? t('noFixYet') : t('lastFix', { age: formatAge(time, now, language, 'second') })}
      </Text>
      <div role="status">
        {isMissing && (
          <Alert color="orange" variant="light">
            {t('fixMissing')}
          </Alert>
        )}
      </div>
    </>
  );
}

function permanentModeOf({ locationModeAfter }: Schema<'DeviceSettingsDto'>): 'SAVE' | 'NORMAL' {
  return locationModeAfter === 'SAVE' ? 'SAVE' : 'NORMAL';
}
