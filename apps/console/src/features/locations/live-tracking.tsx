import type { Schema } from '@family-watch/client';
import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { TbRoute } from 'react-icons/tb';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../../app/session/use-session.js';
import { useLanguage, useTexts } from '../../app/texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { QueryView } from '../../ui/query-view.js';
import { locationModeQuery } from './queries.js';
import { texts } from './texts.js';

const LIVE_MINUTES = 15;

/** Lets the watch report its location as often as it can, for a while. */
export function LiveTracking({ watch: { did, online } }: { watch: Schema<'WatchDto'> }) {
  const t = useTexts(texts);
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
  const t = useTexts(texts);
  const [language] = useLanguage();
  const { state, reason, locationModeUntil } = settings;
  return (
    <Alert color={state === 'REJECTED' ? 'orange' : 'teal'} variant="light" role="status">
      {locationModeUntil !== null && (
        <Text>{t('liveUntil', { time: new Date(locationModeUntil).toLocaleTimeString(language) })}</Text>
      )}
      <Text size="sm">
        {state === 'PENDING' && t(isOnline ? 'livePending' : 'livePendingOffline')}
        {state === 'APPLIED' && t('liveApplied')}
        {state === 'REJECTED' && t('liveRejected', { reason: reason ?? '' })}
      </Text>
    </Alert>
  );
}

function permanentModeOf({ locationModeAfter }: Schema<'DeviceSettingsDto'>): 'SAVE' | 'NORMAL' {
  return locationModeAfter === 'SAVE' ? 'SAVE' : 'NORMAL';
}
