import { Button, Group, Paper, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { QueryView } from '../../../ui/query-view.js';
import { recycleBinSource, useLibrary } from './queries.js';
import { RecycledList } from './recycled-list.js';
import { useContentActions } from './use-content-actions.js';
import { useSelection } from './use-selection.js';

/** The deleted files that the person may restore, the last deleted first. */
export function RecycleBinView({ cloudID, isOwner }: { cloudID: string; isOwner: boolean }) {
  const { t } = useTranslation('album');
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
          <RecycledList items={items} more={more} selection={selection} onToggle={toggle} />
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
