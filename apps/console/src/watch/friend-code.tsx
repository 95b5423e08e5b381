import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../ui/error-alert.js';
import type { EnrolledWatch } from './watch-identity.js';

/** The code that another child's family enters to request a friendship, as long as it is valid. */
export function FriendCode({ watch: { client } }: { watch: EnrolledWatch }) {
  const { t } = useTranslation('watch');
  const { data, error, isPending, mutate, reset } = useMutation({ mutationFn: () => client.watch.createFriendCode() });
  useEffect(() => {
    if (!data) return;
    const timer = setTimeout(reset, data.expiresIn * 1_000);
    return () => clearTimeout(timer);
  }, [data, reset]);
  if (data) {
    return (
      <Stack gap={0} align="center" role="status">
        <Text size="xs" c="dimmed">
          {t('friendCode')}
        </Text>
        <Text ff="monospace" fw={700}>
          {data.friendCode}
        </Text>
      </Stack>
    );
  }
  return (
    <>
      <Button variant="subtle" loading={isPending} onClick={() => mutate()}>
        {t('showFriendCode')}
      </Button>
      <ErrorAlert error={error} />
    </>
  );
}
