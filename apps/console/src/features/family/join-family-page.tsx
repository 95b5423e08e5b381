import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useFieldErrors } from '../../app/errors/error-texts.js';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PageTitle } from '../../ui/page-title.js';
import { Section } from '../../ui/section.js';
import { texts } from './texts.js';

const route = getRouteApi('/signed-in/family/join');

/** Joins a family with an invitation, or asks to join with the code that a watch shows. */
export function JoinFamilyPage() {
  const t = useTexts(texts);
  return (
    <Stack maw={480}>
      <PageTitle title={t('joinTitle')} back={{ to: '/family' }} />
      <AcceptInvitation />
      <RequestToJoin />
    </Stack>
  );
}

function AcceptInvitation() {
  const t = useTexts(texts);
  const { code = '' } = route.useSearch();
  const { client } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: { code } });
  const accept = useMutation({
    mutationFn: (values: { code: string }) => client.families.acceptInvitation({ code: codeOf(values.code) }),
    onSuccess: async ({ familyId }) => {
      // The person may see other children and conversations from now on.
      await queries.invalidateQueries();
      notifications.show({ message: t('joinedFamily') });
      await navigate({ to: '/family/$familyId', params: { familyId } });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => accept.mutate(values))}>
      <Stack>
        <Text>{t('joinHint')}</Text>
        <TextInput label={t('invitationCode')} required autoComplete="off" {...form.getInputProps('code')} />
        <ErrorAlert error={accept.error} />
        <Button type="submit" loading={accept.isPending}>
          {t('accept')}
        </Button>
      </Stack>
    </form>
  );
}

function RequestToJoin() {
  const t = useTexts(texts);
  const { client } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: { familyCode: '', appellation: '' } });
  const request = useMutation({
    mutationFn: ({ familyCode, appellation }: { familyCode: string; appellation: string }) =>
      client.families.createApplication({ familyCode, ...(appellation && { appellation }) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['families', 'join-requests'] });
      notifications.show({ message: t('requestSent') });
      await navigate({ to: '/family' });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <Section title={t('requestJoin')}>
      <form onSubmit={form.onSubmit((values) => request.mutate(values))}>
        <Stack>
          <Text>{t('noCode')}</Text>
          <TextInput label={t('familyCode')} required autoComplete="off" {...form.getInputProps('familyCode')} />
          <TextInput label={t('ownAppellation')} {...form.getInputProps('appellation')} />
          <ErrorAlert error={request.error} />
          <Button type="submit" variant="light" loading={request.isPending}>
            {t('requestJoin')}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

/** Returns the code of an invitation that was entered as its code or as its link. */
function codeOf(entered: string): string {
  const trimmed = entered.trim();
  return /[?&]code=([^&#]+)/.exec(trimmed)?.[1] ?? trimmed;
}
