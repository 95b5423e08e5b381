import { Badge, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { DateTime } from '../../../ui/date-time.js';
import { Section } from '../../../ui/section.js';
import { joinRequestsQuery, type JoinRequest } from './queries.js';

/** The person's own requests to join a family. Without any, it shows nothing. */
export function OwnJoinRequests() {
  const { t } = useTranslation('family');
  const { data } = useQuery(joinRequestsQuery(useSession()));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section title={t('ownJoinRequests')}>
      {data.items.map((request) => (
        <OwnJoinRequest key={request.applicationId} request={request} />
      ))}
    </Section>
  );
}

function OwnJoinRequest({ request: { applicationId, state, changeTime } }: { request: JoinRequest }) {
  const { t } = useTranslation('family');
  const { client } = useSession();
  const queries = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => client.families.cancelApplication({ applicationId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['families', 'join-requests'] }),
  });
  return (
    <Group justify="space-between">
      <Stack gap={4} align="start">
        <Badge variant="light" tt="none" size="lg">
          {t(`state${state}`)}
        </Badge>
        <Text size="sm" c="dimmed">
          <DateTime time={changeTime} />
        </Text>
      </Stack>
      {state === 'PENDING' && (
        <ConfirmButton label={t('withdraw')} question={t('withdrawQuestion')} action={withdraw} />
      )}
    </Group>
  );
}
