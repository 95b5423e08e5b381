import { Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { DateTime } from '../../../ui/date-time.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { Section } from '../../../ui/section.js';

const route = getRouteApi('/signed-in/family/join');

/** Joins a family with an invitation, or asks to join with the code that a watch shows. */
export function JoinFamilyPage() {
  const { t } = useTranslation('family');
  const { code } = route.useSearch();
  return (
    <Stack maw={480}>
      <PageTitle title={t('joinTitle')} back={{ to: '/family' }} />
      {code === undefined ? (
        <>
          <InvitationCodeForm />
          <RequestToJoin />
        </>
      ) : (
        <Invitation key={code} code={code} />
      )}
    </Stack>
  );
}

/** Who invites to which family and as what, and the decision. */
function Invitation({ code }: { code: string }) {
  const { t } = useTranslation('family');
  const { client } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const invitation = useQuery({
    queryKey: ['families', 'invitation', code],
    queryFn: ({ signal }) => client.families.findInvitation({ code }, { signal }),
  });
  const accept = useMutation({
    mutationFn: () => client.families.acceptInvitation({ code }),
    onSuccess: async ({ familyId }) => {
      await navigate({ to: '/family/$familyId', params: { familyId } });
      queries.removeQueries({ queryKey: ['families', 'invitation', code] });
      // The person may see other children and conversations from now on.
      await queries.invalidateQueries();
      notifications.show({ message: t('joinedFamily') });
    },
  });
  return (
    <QueryView query={invitation}>
      {({ inviterName, familyName, role, appellation, expireTime }) => (
        <Card withBorder>
          <Stack>
            <Text size="lg">{t('invitedBy', { inviter: inviterName, family: familyName })}</Text>
            <Text>
              {t('role')}: <b>{t(`role${role}`)}</b>. {t(`roleHint${role}`)}
            </Text>
            {appellation !== undefined && <Text>{t('invitedAs', { appellation })}</Text>}
            <Text size="sm" c="dimmed">
              {t('validUntil')} <DateTime time={expireTime} />
            </Text>
            <ErrorAlert error={accept.error} />
            <Group>
              <Button loading={accept.isPending} onClick={() => accept.mutate()}>
                {t('accept')}
              </Button>
              <Button variant="subtle" renderRoot={(props) => <Link {...props} to="/children" />}>
                {t('notNow')}
              </Button>
            </Group>
          </Stack>
        </Card>
      )}
    </QueryView>
  );
}

function InvitationCodeForm() {
  const { t } = useTranslation('family');
  const navigate = useNavigate();
  const form = useForm({ initialValues: { code: '' } });
  return (
    <form onSubmit={form.onSubmit(({ code }) => void navigate({ to: '/family/join', search: { code: codeOf(code) } }))}>
      <Stack>
        <Text>{t('joinHint')}</Text>
        <TextInput label={t('invitationCode')} required autoComplete="off" {...form.getInputProps('code')} />
        <Button type="submit">{t('showInvitation')}</Button>
      </Stack>
    </form>
  );
}

function RequestToJoin() {
  const { t } = useTranslation('family');
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
