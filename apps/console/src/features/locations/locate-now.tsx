import type { Schema } from '@family-watch/client';
import { Alert, Progress, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { useLanguage } from '../../core/texts.js';
import { formatTime } from '../../ui/format.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { LocationLine } from '../families/children/child-state.js';
import { askProgressQuery } from './queries.js';

/** Asks the watch where it is now. */
export function useLocateNow(did: number) {
  const { client } = useSession();
  return useMutation({
    // While a request is pending, the service returns it, so that each attempt can have its own key.
    mutationFn: () => client.locations.ask({ did }, { idempotencyKey: crypto.randomUUID() }),
  });
}

/** The state of a location request. */
export function LocateProgress({ ask, isOnline }: { ask: Schema<'AskedDto'>; isOnline: boolean }) {
  const { t } = useTranslation('locations');
  const [language] = useLanguage();
  const { askId, deadline } = ask;
  const { data, error } = useQuery(askProgressQuery(useSession(), askId));
  const time = formatTime(deadline, language);
  const state = data?.state ?? 'ASKED';
  return (
    <>
      <Alert color={state === 'EXPIRED' ? 'orange' : 'teal'} variant="light" role="status">
        {state === 'ASKED' && t(isOnline ? 'waiting' : 'waitingOffline', { time })}
        {state === 'EXPIRED' && t(isOnline ? 'expired' : 'expiredOffline')}
        {state === 'ANSWERED' && (
          <>
            <Text size="sm">{t('answered')}</Text>
            {data?.location && <LocationLine location={data.location} />}
          </>
        )}
      </Alert>
      {state === 'ASKED' && <TimeLeft deadline={deadline} />}
      <ErrorAlert error={error} />
    </>
  );
}

/** Shows the time until a deadline, in relation to the time when it was shown first. */
function TimeLeft({ deadline }: { deadline: number }) {
  const { t } = useTranslation('locations');
  const [begin] = useState(Date.now);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Progress
      value={Math.max(0, ((deadline - now) / Math.max(1, deadline - begin)) * 100)}
      aria-label={t('timeLeft')}
    />
  );
}
