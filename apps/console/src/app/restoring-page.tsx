import { Center, Loader, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../ui/error-alert.js';
import { useSessionState } from '../core/session/use-session.js';

/** Shown while the session from before a reload is continued. */
export function RestoringPage() {
  const { t } = useTranslation('restoring');
  const state = useSessionState();
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack align="center">
        <Loader aria-label={t('restoring')} />
        {state.status === 'restoring' && <ErrorAlert error={state.error} />}
      </Stack>
    </Center>
  );
}
