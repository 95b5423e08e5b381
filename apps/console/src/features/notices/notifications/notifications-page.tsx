import { Alert, Button, Group, Stack, Switch, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, NetworkError } from '@family-watch/client';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { Section } from '../../../ui/section.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';
import { WEEKDAYS, WeekdaysField } from '../../../ui/weekdays.js';
import { profileQuery } from '../../accounts/queries.js';
import { disablePush, enablePush } from './push-registration.js';
import {
  preferencesQuery,
  pushRegistrationQuery,
  type CategoryPreference,
  type Preferences,
  type QuietHours,
} from './queries.js';

/** Notifications of this browser, quiet hours, and what the person wants to know. */
export function NotificationsPage() {
  const { t } = useTranslation('notifications');
  const preferences = useQuery(preferencesQuery(useSession()));
  return (
    <Stack maw={640}>
      <PageTitle title={t('title')} back={{ to: '/family' }} />
      <QueryView query={preferences}>
        {({ webPushKey, quietHours, categories }) => (
          <Stack>
            <BrowserNotifications webPushKey={webPushKey} />
            <QuietHoursForm quietHours={quietHours} />
            <Categories categories={categories} />
          </Stack>
        )}
      </QueryView>
    </Stack>
  );
}

function BrowserNotifications({ webPushKey }: { webPushKey: string | null }) {
  const { t } = useTranslation('notifications');
  const [language] = useLanguage();
  const session = useSession();
  const queries = useQueryClient();
  const { queryKey } = pushRegistrationQuery(session);
  const registration = useQuery(pushRegistrationQuery(session));
  const enable = useMutation({
    mutationFn: () => enablePush(session, webPushKey ?? '', language),
    onSuccess: (enabled) => queries.setQueryData(queryKey, enabled),
  });
  const disable = useMutation({
    mutationFn: (tokenId: string) => disablePush(session, tokenId),
    onSuccess: (disabled) => queries.setQueryData(queryKey, disabled),
  });
  const isOfService = enable.error instanceof ApiError || enable.error instanceof NetworkError;
  return (
    <Section title={t('browser')}>
      {webPushKey === null ? (
        <Text c="dimmed">{t('notOffered')}</Text>
      ) : (
        <QueryView query={registration}>
          {(current) => (
            <Stack align="start">
              {current.status === 'off' && (
                <>
                  <Text>{t('browserHint')}</Text>
                  <Button loading={enable.isPending} onClick={() => enable.mutate()}>
                    {t('enable')}
                  </Button>
                </>
              )}
              {current.status === 'on' && (
                <>
                  <Text role="status">{t('on')}</Text>
                  <Button variant="light" loading={disable.isPending} onClick={() => disable.mutate(current.tokenId)}>
                    {t('disable')}
                  </Button>
                </>
              )}
              {(current.status === 'unsupported' || current.status === 'blocked') && (
                <Text c="dimmed" role="status">
                  {t(current.status)}
                </Text>
              )}
            </Stack>
          )}
        </QueryView>
      )}
      {enable.isError && !isOfService && (
        <Alert color="orange" variant="light" role="alert">
          {t('failed')}
        </Alert>
      )}
      <ErrorAlert error={isOfService ? enable.error : disable.error} />
    </Section>
  );
}

function QuietHoursForm({ quietHours }: { quietHours: Preferences['quietHours'] }) {
  const { t } = useTranslation('notifications');
  const session = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const { data: profile } = useQuery(profileQuery(session));
  const timeZone = profile?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const form = useForm({
    initialValues: {
      isUsed: quietHours !== null,
      from: toTimeText(quietHours?.from ?? 22 * 60),
      to: toTimeText(quietHours?.to ?? 7 * 60),
      weekdays: quietHours?.weekdays ?? [...WEEKDAYS],
    },
  });
  useUnsavedChanges(form.isDirty);
  const update = useMutation({
    mutationFn: ({ isUsed, from, to, weekdays }: typeof form.values) => {
      const changed: QuietHours = {
        from: toMinutes(from),
        to: toMinutes(to),
        timeZone,
        weekdays,
      };
      return session.client.notifications.updateSubscription({ quietHours: isUsed ? changed : null });
    },
    onSuccess: (updated) => {
      form.resetDirty();
      queries.setQueryData(preferencesQuery(session).queryKey, updated);
      notifications.show({ message: t('saved') });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <Section title={t('quietHours')}>
      <form onSubmit={form.onSubmit((values) => update.mutate(values))}>
        <Stack>
          <Text>{t('quietHint')}</Text>
          <Switch label={t('useQuietHours')} {...form.getInputProps('isUsed', { type: 'checkbox' })} />
          {form.values.isUsed && (
            <>
              <Group grow>
                <TextInput label={t('from')} type="time" required {...form.getInputProps('from')} />
                <TextInput label={t('to')} type="time" required {...form.getInputProps('to')} />
              </Group>
              <WeekdaysField label={t('weekdays')} {...form.getInputProps('weekdays')} />
              <Text size="sm" c="dimmed">
                {t('timeZone', { timeZone })}
              </Text>
            </>
          )}
          <ErrorAlert error={update.error} />
          <Button type="submit" variant="light" loading={update.isPending}>
            {t('save')}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

function Categories({ categories }: { categories: readonly CategoryPreference[] }) {
  const { t } = useTranslation('notifications');
  const session = useSession();
  const queries = useQueryClient();
  const update = useMutation({
    mutationFn: (changed: CategoryPreference) =>
      session.client.notifications.updateSubscription({ categories: [changed] }),
    onSuccess: (updated) => queries.setQueryData(preferencesQuery(session).queryKey, updated),
  });
  return (
    <Section title={t('categories')}>
      <ErrorAlert error={update.error} />
      <Table verticalSpacing="xs" horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('category')}</Table.Th>
            <Table.Th>{t('enabled')}</Table.Th>
            <Table.Th>{t('push')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {categories.map((preference) => {
            const { category, enabled, push } = preference;
            const name = t(`category${category}`);
            // The switches show what the service has stored, so that they move after its answer.
            return (
              <Table.Tr key={category} h={52}>
                <Table.Th scope="row">{name}</Table.Th>
                {category === 'SOS' ? (
                  <>
                    <Table.Td>{t('alwaysOn')}</Table.Td>
                    <Table.Td>{t('alwaysOn')}</Table.Td>
                  </>
                ) : (
                  <>
                    <Table.Td>
                      {category !== 'CHAT' && (
                        <Switch
                          aria-label={t('enabledFor', { category: name })}
                          checked={enabled}
                          disabled={update.isPending}
                          onChange={({ currentTarget }) =>
                            update.mutate({ ...preference, enabled: currentTarget.checked })
                          }
                        />
                      )}
                    </Table.Td>
                    <Table.Td>
                      <Switch
                        aria-label={t('pushFor', { category: name })}
                        checked={push}
                        disabled={update.isPending || !enabled}
                        onChange={({ currentTarget }) => update.mutate({ ...preference, push: currentTarget.checked })}
                      />
                    </Table.Td>
                  </>
                )}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

/** Minutes of the day as `HH:MM`, the form of time fields. */
function toTimeText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

function toMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
