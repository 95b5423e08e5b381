import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { Section } from '../../../ui/section.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';
import { useStepUp } from '../../accounts/step-up.js';
import { GUARDIAN, membersQuery, OWNER, type Family } from '../queries.js';

/** What changes the family itself: its name, its owner, and its end for one member or for all. */
export function FamilyActions({ family }: { family: Family }) {
  const { t } = useTranslation('family');
  return (
    <Section title={t('settings')}>
      {family.role === OWNER ? (
        <>
          <RenameForm family={family} />
          <Transfer family={family} />
          <Dissolve family={family} />
        </>
      ) : (
        <Leave family={family} />
      )}
    </Section>
  );
}

function RenameForm({ family: { familyId, name } }: { family: Family }) {
  const { t } = useTranslation('family');
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: { name } });
  useUnsavedChanges(form.isDirty);
  const rename = useMutation({
    mutationFn: (values: { name: string }) => client.families.update({ familyId, ...values }),
    onSuccess: async () => {
      form.resetDirty();
      await queries.invalidateQueries({ queryKey: ['families'] });
      notifications.show({ message: t('saved') });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => rename.mutate(values))}>
      <Stack gap="xs">
        <Group align="end" wrap="nowrap">
          <TextInput flex={1} label={t('familyName')} required {...form.getInputProps('name')} />
          <Button type="submit" variant="light" loading={rename.isPending} disabled={form.values.name === name}>
            {t('rename')}
          </Button>
        </Group>
        <ErrorAlert error={rename.error} />
      </Stack>
    </form>
  );
}

function Transfer({ family: { familyId } }: { family: Family }) {
  const { t } = useTranslation('family');
  const session = useSession();
  const queries = useQueryClient();
  const withStepUp = useStepUp();
  const { data: members } = useQuery(membersQuery(session, familyId));
  const guardians = members?.items.filter(({ role }) => role === GUARDIAN) ?? [];
  const [userId, setUserId] = useState<string | null>(null);
  const newOwner = guardians.find((guardian) => guardian.userId === userId);
  const transfer = useMutation({
    mutationFn: () =>
      withStepUp((stepUp) => session.client.families.transfer({ familyId, userId: userId ?? '', stepUp })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['families'] });
      notifications.show({ message: t('transferred') });
    },
  });
  return (
    <Stack gap="xs" align="start">
      <Select
        w="100%"
        label={t('transferTo')}
        description={guardians.length === 0 ? t('noGuardian') : t('transferHint')}
        disabled={guardians.length === 0}
        data={guardians.map((guardian) => ({ value: guardian.userId, label: guardian.name }))}
        value={userId}
        onChange={setUserId}
      />
      {newOwner && (
        <ConfirmButton
          label={t('transfer')}
          question={t('transferQuestion', { name: newOwner.name })}
          action={transfer}
        />
      )}
    </Stack>
  );
}

function Dissolve({ family: { familyId, name } }: { family: Family }) {
  const { t } = useTranslation('family');
  const withStepUp = useStepUp();
  const session = useSession();
  const leave = useLeaving();
  const dissolve = useMutation({
    mutationFn: () => withStepUp((stepUp) => session.client.families.dissolve({ familyId, stepUp })),
    onSuccess: () => leave(t('dissolved')),
  });
  return (
    <Stack gap="xs" align="start">
      <Text size="sm" c="dimmed">
        {t('dissolveHint')}
      </Text>
      <ConfirmButton label={t('dissolve')} question={t('dissolveQuestion', { name })} action={dissolve} />
    </Stack>
  );
}

function Leave({ family: { familyId } }: { family: Family }) {
  const { t } = useTranslation('family');
  const { client } = useSession();
  const leave = useLeaving();
  const action = useMutation({
    mutationFn: () => client.families.leave({ familyId }),
    onSuccess: () => leave(t('left')),
  });
  return (
    <Group>
      <ConfirmButton label={t('leave')} question={t('leaveQuestion')} action={action} />
    </Group>
  );
}

/** Returns what follows the end of a membership: the person does not see the children and the family any more. */
function useLeaving(): (message: string) => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (message) => {
    await navigate({ to: '/family' });
    await queries.invalidateQueries();
    notifications.show({ message });
  };
}
