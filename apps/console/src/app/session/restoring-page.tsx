import { Center, Loader, Stack } from '@mantine/core';
import { defineTexts, useTexts } from '../texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { useSessionState } from './use-session.js';

const texts = defineTexts('restoring', {
  en: { restoring: 'Signing in' },
  'zh-CN': { restoring: '正在登录' },
});

/** Shown while the session from before a reload is continued. */
export function RestoringPage() {
  const t = useTexts(texts);
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
