import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { QueryView } from '../../../ui/query-view.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';
import { FriendDecision, useFriendAction, waitsForUs, type Friend } from './friend-decision.js';
import { friendsQuery } from './queries.js';
import { SettingsPage } from './settings-page.js';
import { useWatch } from './use-watch.js';

export function FriendsPage() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const query = useQuery(friendsQuery(session, did));
  return (
    <SettingsPage title={t('friends')}>
      <QueryView query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">{t('noFriends')}</Text>
          ) : (
            items.map((friend) => <FriendCard key={friend.applicationId} friend={friend} />)
          )
        }
      </QueryView>
      <ApplyForm />
    </SettingsPage>
  );
}

/** What a friendship is to the family of the page, and what the family can decide. */
function standingOf(friend: Friend) {
  const { state, keptOut } = friend;
  if (keptOut) return { text: 'friendBlocked', actions: ['unblock'] } as const;
  if (state === 'ACCEPTED') return { text: 'friendAccepted', actions: ['delete', 'block'] } as const;
  if (state === 'REJECTED') return { text: 'friendRejected', actions: ['block'] } as const;
  if (state === 'ENDED') return { text: 'friendEnded', actions: ['block'] } as const;
  return { text: waitsForUs(friend) ? 'friendWaitsForUs' : 'friendWaitsForThem', actions: ['decide'] } as const;
}

function FriendCard({ friend }: { friend: Friend }) {
  const { t } = useTranslation('watchSettings');
  const { name, changedAt } = friend;
  const { did } = useWatch();
  const act = {
    delete: useFriendAction(did, friend, 'delete'),
    block: useFriendAction(did, friend, 'block'),
    unblock: useFriendAction(did, friend, 'unblock'),
  };
  const { text, actions } = standingOf(friend);
  const can = (action: (typeof actions)[number]) => (actions as readonly string[]).includes(action);
  return (
    <Card withBorder>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            {name}
          </Title>
          <Text size="sm" c="dimmed">
            {t(text)} · <RelativeTime time={changedAt} />
          </Text>
        </div>
        <ErrorAlert error={act.unblock.error} />
        {can('decide') && <FriendDecision did={did} friend={friend} />}
        <Group>
          {can('delete') && (
            <ConfirmButton label={t('endFriend')} title={t('endFriendQuestion', { name })} action={act.delete} />
          )}
          {can('block') && <ConfirmButton label={t('block')} title={t('blockQuestion', { name })} action={act.block} />}
          {can('unblock') && (
            <Button variant="light" loading={act.unblock.isPending} onClick={() => act.unblock.mutate()}>
              {t('unblock')}
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

function ApplyForm() {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: { friendCode: '' } });
  useUnsavedChanges(form.isDirty);
  const apply = useMutation({
    mutationFn: ({ friendCode }: typeof form.values) => client.friends.apply({ did, friendCode: friendCode.trim() }),
    onSuccess: async () => {
      form.reset();
      notifications.show({ message: t('applied') });
      await queries.invalidateQueries({ queryKey: ['friends', did] });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => apply.mutate(values))}>
      <Stack gap="sm">
        <TextInput
          label={t('friendCode')}
          description={t('friendCodeHint')}
          required
          autoComplete="off"
          autoCapitalize="characters"
          {...form.getInputProps('friendCode')}
        />
        <ErrorAlert error={apply.error} />
        <Group>
          <Button type="submit" loading={apply.isPending}>
            {t('applyFriend')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
