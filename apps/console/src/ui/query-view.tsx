import { Alert, Button, Center, Group, Loader, Stack, Text } from '@mantine/core';
import { TbAlertCircle } from 'react-icons/tb';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../core/errors/error-texts.js';
import { RelativeTime } from './relative-time.js';

/**
 * Shows the data of a query, and its other states: loading, failed without data, and data that could not be renewed.
 */
export function QueryView<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data>;
  children: (data: Data) => ReactNode;
}) {
  const { t } = useTranslation('queryView');
  const errorText = useErrorText();
  const notice = query.isError && (
    <Alert color="gray" variant="light" icon={<TbAlertCircle />} role="status">
      <Group justify="space-between">
        <Text size="sm">
          {errorText(query.error)}{' '}
          {query.data !== undefined && (
            <>
              {t('outdated')} <RelativeTime time={query.dataUpdatedAt} />
            </>
          )}
        </Text>
        <Button variant="light" loading={query.isFetching} onClick={() => void query.refetch()}>
          {t('retry')}
        </Button>
      </Group>
    </Alert>
  );
  if (query.data === undefined) {
    return (
      notice || (
        <Center mih={200}>
          <Loader aria-label={t('loading')} />
        </Center>
      )
    );
  }
  return (
    <Stack>
      {notice}
      {children(query.data)}
    </Stack>
  );
}
