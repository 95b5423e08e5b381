import { Box, Button, Card, Stack, Table, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { QueryView } from '../../ui/query-view.js';
import { useIsWide } from '../../ui/use-is-wide.js';
import { Facts } from './facts.js';
import type { Page } from '../../core/paged-query.js';

export interface Column<Item> {
  readonly name: string;
  readonly value: (item: Item) => ReactNode;
}

interface PagedListProps<Item> {
  /** What the list contains, for screen readers. */
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
  columns: readonly Column<Item>[];
  keyOf: (item: Item) => string | number;
}

/** A list that is loaded page by page. */
export function PagedList<Item>({ query, ...list }: PagedListProps<Item>) {
  const { t } = useTranslation('operatorLists');
  return (
    <QueryView query={query}>
      {({ pages }) => (
        <Stack>
          <ItemList {...list} items={pages.flatMap(({ items }) => items)} isWhole={!query.hasNextPage} />
          {query.hasNextPage && (
            <Button variant="light" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t('more')}
            </Button>
          )}
        </Stack>
      )}
    </QueryView>
  );
}

interface ItemListProps<Item> extends Omit<PagedListProps<Item>, 'query'> {
  items: readonly Item[];
  /** Whether there are no further items on the next page. */
  isWhole?: boolean;
}

/** Items as a table, and as cards on a phone. */
export function ItemList<Item>({ label, columns, keyOf, items, isWhole = true }: ItemListProps<Item>) {
  const { t } = useTranslation('operatorLists');
  const isWide = useIsWide();
  if (items.length === 0) return <Text c="dimmed">{t(isWhole ? 'empty' : 'emptySoFar')}</Text>;
  if (!isWide) {
    return (
      <Stack component="ul" aria-label={label} p={0} m={0} gap="sm" style={{ listStyle: 'none' }}>
        {items.map((item) => (
          <Card key={keyOf(item)} component="li" withBorder padding="sm">
            <Facts facts={columns.map(({ name, value }) => [name, value(item)])} />
          </Card>
        ))}
      </Stack>
    );
  }
  return (
    <Box role="region" aria-label={label} tabIndex={0} className="mantine-focus-auto" style={{ overflowX: 'auto' }}>
      <Table verticalSpacing="xs" aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name }) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <Table.Tr key={keyOf(item)}>
              {columns.map(({ name, value }) => (
                <Table.Td key={name}>{value(item)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
