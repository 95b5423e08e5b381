import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';
import { membersQuery, useFamilyChildren, type Member } from '../queries.js';
import { AccessFields } from './access-fields.js';
import { toAccess, type Access } from './permissions.js';

const route = getRouteApi('/signed-in/family/$familyId/members/$userId');

/** Role and permissions of one member, for the owner. */
export function MemberPage() {
  const { t } = useTranslation('family');
  const { familyId, userId } = route.useParams();
  const members = useQuery(membersQuery(useSession(), familyId));
  const member = members.data?.items.find((each) => each.userId === userId);
  return (
    <Stack maw={560}>
      <PageTitle title={member?.name ?? t('members')} back={{ to: '/family/$familyId', params: { familyId } }} />
      <QueryView query={members}>{() => member && <MemberForm key={member.version} member={member} />}</QueryView>
    </Stack>
  );
}

function MemberForm({ member }: { member: Member }) {
  const { t } = useTranslation('family');
  const { familyId, userId, name } = member;
  const { client } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const familyChildren = useFamilyChildren(familyId);
  const [access, setAccess] = useState<Access>(member);
  const isDone = useRef(false);
  useUnsavedChanges(() => access !== member && !isDone.current);
  const leavePage = async (message: string) => {
    isDone.current = true;
    await queries.invalidateQueries({ queryKey: ['families'] });
    notifications.show({ message });
    await navigate({ to: '/family/$familyId', params: { familyId } });
  };
  const update = useMutation({
    mutationFn: () => client.families.updateMember({ familyId, userId, ...toAccess(access) }),
    onSuccess: () => leavePage(t('saved')),
  });
  const remove = useMutation({
    mutationFn: () => client.families.removeMember({ familyId, userId }),
    onSuccess: () => leavePage(t('saved')),
  });
  return (
    <Stack>
      <AccessFields access={access} onChange={setAccess} familyChildren={familyChildren} />
      <ErrorAlert error={update.error} />
      <Group justify="space-between">
        <Button loading={update.isPending} onClick={() => update.mutate()}>
          {t('save')}
        </Button>
        <ConfirmButton label={t('removeMember')} question={t('removeQuestion', { name })} action={remove} />
      </Group>
    </Stack>
  );
}
