import { Alert, Button, Center, Group, Loader, Stack, Text } from '@mantine/core';
import { TbAlertCircle } from 'react-icons/tb';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useErrorText } from '../app/errors/error-texts.js';
import { defineTexts, useTexts } from '../app/texts.js';

const texts = defineTexts('query-view', {
  en: { loading: 'Loading', retry: 'Try again', outdated: 'This may be out of date.' },
  'zh-CN': { loading: '正在加载', retry: '重试', outdated: '内容可能不是最新的。' },
});

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
  const t = useTexts(texts);
  const errorText = useErrorText();
  const notice = query.isError && (
    <Alert color="gray" variant="light" icon={<TbAlertCircle />} role="status">
      <Group justify="space-between">
        <Text size="sm">
          {errorText(query.error)} {query.data !== undefined && t('outdated')}
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
