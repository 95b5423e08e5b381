import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import type { Schema } from '@family-watch/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { DateTime } from '../../../ui/date-time.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { QueryView } from '../../../ui/query-view.js';
import { Section } from '../../../ui/section.js';
import { CONTACT, useFamilyChildren } from '../queries.js';
import { AccessFields } from './access-fields.js';
import { RelationFields } from './invitations.js';
import { fullAccess, toAccess } from './permissions.js';
import { joinRequestsQuery, type JoinRequest } from './queries.js';

type Relation = JoinRequest['identityType'];

/** The requests of persons who want to join a family, for its owner. */
export function JoinRequests({ familyId }: { familyId: string }) {
  const { t } = useTranslation('family');
  const requests = useQuery(joinRequestsQuery(useSession(), familyId));
  return (
    <Section title={t('joinRequests')}>
      <QueryView query={requests}>
        {({ items }) => (
          <Stack>
            {items.length === 0 && <Text c="dimmed">{t('noJoinRequests')}</Text>}
            {items.map((request) => (
              <JoinRequestRow key={request.applicationId} familyId={familyId} request={request} />
            ))}
          </Stack>
        )}
      </QueryView>
    </Section>
  );
}

function JoinRequestRow({ familyId, request }: { familyId: string; request: JoinRequest }) {
  const { t } = useTranslation('family');
  const { state, applicant, appellation, createTime } = request;
  const name = applicantOf(request);
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="start">
        <Stack gap={0}>
          <Text>{appellation && appellation !== name ? `${name} (${appellation})` : name}</Text>
          <Text size="sm" c="dimmed">
            {applicant && (
              <>
                <bdi dir="ltr">
                  {applicant.areaCode} {applicant.phoneNumber}
                </bdi>{' '}
                ·{' '}
              </>
            )}
            <DateTime time={createTime} />
          </Text>
        </Stack>
        {state !== 'PENDING' && (
          <Badge variant="light" tt="none" size="lg">
            {t(`state${state}`)}
          </Badge>
        )}
      </Group>
      {state === 'PENDING' && <JoinRequestDecision familyId={familyId} request={request} />}
    </Stack>
  );
}

/** Returns the name of the person who wants to join. */
export function applicantOf({ applicant, appellation }: JoinRequest): string {
  return applicant?.name ?? appellation;
}

/** The buttons with which the owner decides about a pending request. */
export function JoinRequestDecision({ familyId, request }: { familyId: string; request: JoinRequest }) {
  const { t } = useTranslation('family');
  const { applicationId } = request;
  const { client } = useSession();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const name = applicantOf(request);
  const reject = useMutation({
    mutationFn: () => client.families.rejectApplication({ familyId, applicationId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['families', 'join-requests'] }),
  });
  return (
    <Group>
      <Button variant="light" onClick={open}>
        {t('approve')}
      </Button>
      <ConfirmButton label={t('reject')} question={t('rejectQuestion', { name })} action={reject} />
      <Dialog opened={isOpen} onClose={close} title={t('approveTitle', { name })}>
        <ApprovalForm familyId={familyId} request={request} onDone={close} />
      </Dialog>
    </Group>
  );
}

function ApprovalForm({ familyId, request, onDone }: { familyId: string; request: JoinRequest; onDone: () => void }) {
  const { t } = useTranslation('family');
  const { applicationId } = request;
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const familyChildren = useFamilyChildren(familyId);
  const [access, setAccess] = useState(() => fullAccess(CONTACT));
  const form = useForm({
    initialValues: { appellation: request.appellation, identityType: String(request.identityType) },
  });
  const approve = useMutation({
    mutationFn: ({ appellation, identityType }: typeof form.values) => {
      const body: Schema<'ApproveApplicationDto'> = {
        applicationId,
        familyId,
        ...toAccess(access),
        identityType: Number(identityType) as Relation,
        ...(appellation && { appellation }),
      };
      return client.families.approveApplication(body);
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['families'] });
      notifications.show({ message: t('saved') });
      onDone();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => approve.mutate(values))}>
      <Stack>
        <RelationFields form={form} />
        <AccessFields access={access} onChange={setAccess} familyChildren={familyChildren} />
        <ErrorAlert error={approve.error} />
        <Button type="submit" loading={approve.isPending}>
          {t('approve')}
        </Button>
      </Stack>
    </form>
  );
}
