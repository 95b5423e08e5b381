import type { Schema } from '@family-watch/client';
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ErrorAlert } from '../../../ui/error-alert.js';

export type Friend = Schema<'FriendDto'>;

/**
 * Returns whether the family decides next about a friend request: the family of the child that requested the friendship
 * decides first, then the other family.
 */
export function waitsForUs({ state, applied, keptOut }: Friend): boolean {
  return !keptOut && state === (applied ? 'APPLIED' : 'CONFIRMED');
}

export function useFriendAction(
  did: number,
  { applicationId }: Friend,
  action: 'confirm' | 'reject' | 'delete' | 'block' | 'unblock',
) {
  const { client } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (): Promise<unknown> => client.friends[action]({ did, applicationId }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['friends', did] }),
  });
}

/** The buttons with which a family decides about an open friend request of its child with the watch `did`. */
export function FriendDecision({ did, friend }: { did: number; friend: Friend }) {
  const { t } = useTranslation('watchSettings');
  const { name, applied } = friend;
  const confirm = useFriendAction(did, friend, 'confirm');
  const reject = useFriendAction(did, friend, 'reject');
  const rejectText = applied ? 'withdrawFriend' : 'rejectFriend';
  return (
    <>
      <ErrorAlert error={confirm.error} />
      <Group>
        {waitsForUs(friend) && (
          <Button loading={confirm.isPending} onClick={() => confirm.mutate()}>
            {t('confirmFriend')}
          </Button>
        )}
        <ConfirmButton label={t(rejectText)} title={t(`${rejectText}Question`, { name })} action={reject} />
      </Group>
    </>
  );
}
