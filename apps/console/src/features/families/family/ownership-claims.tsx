import { Badge, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { DateTime } from '../../../ui/date-time.js';
import { QueryView } from '../../../ui/query-view.js';
import { Section } from '../../../ui/section.js';
import { GUARDIAN, membersQuery, OWNER, type Family } from '../queries.js';
import { ownershipClaimsQuery, type OwnershipClaim } from './queries.js';

/** The ownership claims of a family. A guardian claims it, and the owner refuses. */
export function OwnershipClaims({ family }: { family: Family }) {
  const { t } = useTranslation('family');
  const { familyId, role } = family;
  const session = useSession();
  const queries = useQueryClient();
  const claims = useQuery(ownershipClaimsQuery(session, familyId));
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const claim = useMutation({
    mutationFn: () => session.client.families.createOwnershipClaim({ familyId }, { idempotencyKey }),
    onSuccess: async () => {
      setIdempotencyKey(crypto.randomUUID());
      await queries.invalidateQueries({ queryKey: ['families', 'claims', familyId] });
    },
  });
  // To the owner, claims matter only when there are some.
  if (role === OWNER && !claims.data?.items.length) return null;
  return (
    <Section title={t('claims')}>
      <Text c="dimmed">{t('claimHint')}</Text>
      <QueryView query={claims}>
        {({ items }) => (
          <Stack>
            {items.map((each) => (
              <ClaimRow key={each.claimId} family={family} claim={each} />
            ))}
            {role === GUARDIAN && !items.some(({ state }) => state === 'OPEN') && (
              <ConfirmButton
                label={t('claim')}
                question={t('claimQuestion')}
                action={claim}
                color="teal"
                variant="light"
              />
            )}
          </Stack>
        )}
      </QueryView>
    </Section>
  );
}

function ClaimRow({ family: { familyId, role }, claim }: { family: Family; claim: OwnershipClaim }) {
  const { t } = useTranslation('family');
  const { claimId, claimantUserId, state, deadline, endTime } = claim;
  const session = useSession();
  const { client, userId } = session;
  const queries = useQueryClient();
  const { data: members } = useQuery(membersQuery(session, familyId));
  const name = members?.items.find((member) => member.userId === claimantUserId)?.name ?? t('formerMember');
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['families'] });
  const refuse = useMutation({
    mutationFn: () => client.families.refuseOwnershipClaim({ familyId, claimId }),
    onSuccess,
  });
  const withdraw = useMutation({
    mutationFn: () => client.families.withdrawOwnershipClaim({ familyId, claimId }),
    onSuccess,
  });
  const isOpen = state === 'OPEN';
  return (
    <Group justify="space-between">
      <Stack gap={4} align="start">
        <Text>{t('claimBy', { name })}</Text>
        <Text size="sm" c="dimmed">
          {isOpen && `${t('claimDeadline')} `}
          <DateTime time={endTime ?? deadline} />
        </Text>
        <Badge variant="light" tt="none" size="lg">
          {t(`claim${state}`)}
        </Badge>
      </Stack>
      {isOpen && role === OWNER && (
        <ConfirmButton label={t('refuse')} question={t('refuseQuestion')} action={refuse} color="teal" />
      )}
      {isOpen && claimantUserId === userId && (
        <ConfirmButton label={t('withdraw')} question={t('withdrawClaimQuestion')} action={withdraw} color="teal" />
      )}
    </Group>
  );
}
