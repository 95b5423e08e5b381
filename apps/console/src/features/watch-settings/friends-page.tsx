import type { Schema } from '@family-watch/client';
import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useFieldErrors } from '../../app/errors/error-texts.js';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { friendsQuery } from './queries.js';
import { SettingsPage } from './settings-page.js';
import { texts } from './texts.js';
import { useWatch } from './use-watch.js';

type Friend = Schema<'FriendDto'>;
type FriendAction = 'confirm' | 'reject' | 'delete' | 'block' | 'unblock';

export function FriendsPage() {
  const t = useTexts(texts);
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
function standingOf({ state, applied, keptOut }: Friend) {
  if (keptOut) return { text: 'friendBlocked', actions: ['unblock'] } as const;
  if (state === 'ACCEPTED') return { text: 'friendAccepted', actions: ['delete', 'block'] } as const;
  if (state === 'REJECTED') return { text: 'friendRejected', actions: ['block'] } as const;
  if (state === 'ENDED') return { text: 'friendEnded', actions: ['block'] } as const;
  // The family of the child that requested the friendship decides first, then the other family.
  const isOurDecision = applied === (state === 'APPLIED');
  return isOurDecision
    ? ({ text: 'friendWaitsForUs', actions: ['confirm', 'reject'] } as const)
    : ({ text: 'friendWaitsForThem', actions: ['reject'] } as const);
}

function useFriendAction({ applicationId }: Friend, action: FriendAction) {
  const { client } = useSession();
  const { did } = useWatch();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (): Promise<unknown> => client.friends[action]({ did, applicationId }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['friends', did] }),
  });
}

function FriendCard({ friend }: { friend: Friend }) {
  const t = useTexts(texts);
  const { name, applied, changedAt } = friend;
  const act = {
    confirm: useFriendAction(friend, 'confirm'),
    reject: useFriendAction(friend, 'reject'),
    delete: useFriendAction(friend, 'delete'),
    block: useFriendAction(friend, 'block'),
    unblock: useFriendAction(friend, 'unblock'),
  };
  const { text, actions } = standingOf(friend);
  const can = (action: FriendAction) => (actions as readonly FriendAction[]).includes(action);
  const rejectText = applied ? 'withdrawFriend' : 'rejectFriend';
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
        <ErrorAlert error={act.confirm.error ?? act.unblock.error} />
        <Group>
          {can('confirm') && (
            <Button loading={act.confirm.isPending} onClick={() => act.confirm.mutate()}>
              {t('confirmFriend')}
            </Button>
          )}
          {can('reject') && (
            <ConfirmButton label={t(rejectText)} title={t(`${rejectText}Question`, { name })} action={act.reject} />
          )}
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
  const t = useTexts(texts);
  const { client } = useSession();
  const { did } = useWatch();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: { friendCode: '' } });
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
