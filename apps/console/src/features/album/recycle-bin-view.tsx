import { Box, Button, Checkbox, Group, Paper, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { useSession } from '../../app/session/use-session.js';
import { useLanguage, useTexts } from '../../app/texts.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { formatBytes, formatDay } from '../../ui/format.js';
import { QueryView } from '../../ui/query-view.js';
import { recycleBinSource, useLibrary } from './queries.js';
import type { RecycledContent } from './queries.js';
import { texts } from './texts.js';
import { useContentActions } from './use-content-actions.js';
import { useTop } from './use-top.js';
import { useSelection } from './use-selection.js';

const ROW_HEIGHT = 72;
const THRESHOLD_ROWS = 10;
const DAY_MS = 24 * 60 * 60_000;

/**
 * The deleted files that the person may restore, the last deleted first. The service shows nothing of a deleted picture
 * but its name.
 */
export function RecycleBinView({ cloudID, isOwner }: { cloudID: string; isOwner: boolean }) {
  const t = useTexts(texts);
  const session = useSession();
  const queries = useQueryClient();
  const { query, more, remove } = useLibrary(recycleBinSource(session, cloudID));
  const items = query.data?.items ?? [];
  const { selection = new Set<string>(), ids, toggle, end } = useSelection();
  const actions = useContentActions(cloudID, (contentIDs) => {
    remove(contentIDs);
    end();
  });
  const purge = useMutation({ mutationFn: () => actions.purge(ids) });
  const purgeAll = useMutation({
    mutationFn: () => session.client.familyCloud.purgeContents({ cloudID, all: true }),
    onSuccess: ({ purging }) => {
      notifications.show({ message: t('purging', { count: purging }), role: 'status' });
      void queries.invalidateQueries({ queryKey: ['album'] });
    },
  });
  return (
    <QueryView query={query}>
      {() => (
        <>
          <Text c="dimmed" ta={items.length === 0 ? 'center' : undefined} py={items.length === 0 ? 'xl' : 0}>
            {items.length === 0 ? t('emptyBin') : t('binHint')}
          </Text>
          <FileList items={items} more={more} selection={selection} onToggle={toggle} />
          {ids.length > 0 && (
            <Paper withBorder pos="sticky" bottom="calc(var(--app-shell-footer-offset, 0px) + 8px)" p="xs">
              <Group gap="xs" justify="space-between">
                <Button loading={actions.isPending} onClick={() => actions.restore(ids)}>
                  {t('restore')}
                </Button>
                {isOwner && (
                  <ConfirmButton variant="light" label={t('purge')} question={t('purgeWarning')} action={purge} />
                )}
              </Group>
            </Paper>
          )}
          {isOwner && ids.length === 0 && (query.data?.totalCount ?? 0) > 0 && (
            <ConfirmButton
              variant="light"
              label={t('purgeAll')}
              question={t('purgeWarning')}
              confirm={t('purge')}
              action={purgeAll}
            />
          )}
        </>
      )}
    </QueryView>
  );
}

function FileList({
  items,
  more,
  selection,
  onToggle,
}: {
  items: readonly RecycledContent[];
  more: { canLoad: boolean; isPending: boolean; isError: boolean; load: () => void };
  selection: ReadonlySet<string>;
  onToggle: (contentID: string) => void;
}) {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const list = useRef<HTMLDivElement>(null);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_HEIGHT,
    scrollMargin: useTop(list),
    overscan: 6,
  });
  const rows = virtualizer.getVirtualItems();
  const { canLoad, isPending, isError, load } = more;
  const isNear = (rows.at(-1)?.index ?? 0) >= items.length - THRESHOLD_ROWS;
  useEffect(() => {
    // After a failure, the person decides when the next attempt is.
    if (isNear && canLoad && !isPending && !isError) load();
  }, [isNear, canLoad, isPending, isError, load]);
  return (
    <>
      <Box ref={list} pos="relative" h={virtualizer.getTotalSize()}>
        {rows.map(({ index, start, size }) => {
          const item = items[index];
          if (!item) return null;
          const { contentID, contentName, contentSize, recycleTime, purgeTime } = item;
          const days = Math.max(0, Math.ceil((purgeTime - Date.now()) / DAY_MS));
          return (
            <Checkbox
              key={contentID}
              pos="absolute"
              left={0}
              right={0}
              top={0}
              h={size}
              style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
              styles={{ body: { alignItems: 'center' }, labelWrapper: { flex: 1, minWidth: 0 } }}
              checked={selection.has(contentID)}
              onChange={() => onToggle(contentID)}
              label={contentName}
              description={[
                formatDay(recycleTime, language),
                formatBytes(contentSize, language),
                t('daysLeft', { count: days }),
              ].join(' · ')}
            />
          );
        })}
      </Box>
      {canLoad && (
        <Button variant="light" loading={isPending} onClick={load}>
          {t('loadMore')}
        </Button>
      )}
    </>
  );
}
