import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { Section } from '../../../ui/section.js';
import { deletedChildrenQuery, type DeletedChild } from './queries.js';

/** The children whom the person can still restore. Without any, it shows nothing. */
export function DeletedChildren() {
  const { t } = useTranslation('family');
  const session = useSession();
  const { data } = useQuery(deletedChildrenQuery(session));
  if (!data || data.items.length === 0) return null;
  return (
    <Section title={t('deletedChildren')}>
      <Text c="dimmed">{t('restoreHint')}</Text>
      {data.items.map((child) => (
        <DeletedChildRow key={child.cid} {...child} />
      ))}
    </Section>
  );
}

function DeletedChildRow({ cid, name, deletedAt }: DeletedChild) {
  const { t } = useTranslation('family');
  const session = useSession();
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: () => session.client.children.restore({ cid }),
    onSuccess: async () => {
      const stale = [['children'], ['families'], ['deleted-children']];
      await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })));
      notifications.show({ message: t('restored', { name }) });
    },
  });
  return (
    <>
      <Group justify="space-between">
        <Text>
          {t('deletedChild', { name })} <RelativeTime time={deletedAt} />
        </Text>
        <Button variant="light" loading={restore.isPending} onClick={() => restore.mutate()}>
          {t('restore')}
        </Button>
      </Group>
      <ErrorAlert error={restore.error} />
    </>
  );
}
