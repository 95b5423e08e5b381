import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

/** Reads states again. Nothing does so by itself, because each request leaves an entry in the audit list. */
export function RenewButton({ query }: { query: Pick<UseQueryResult, 'isFetching' | 'refetch'> }) {
  const { t } = useTranslation('operatorLists');
  return (
    <Button variant="light" loading={query.isFetching} onClick={() => void query.refetch()}>
      {t('renew')}
    </Button>
  );
}
