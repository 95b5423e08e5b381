import { Button, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { Schema } from '@family-watch/client';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { LANGUAGES, useLanguage, type Language } from '../../core/texts.js';
import { DateTime } from '../../ui/date-time.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PasswordField } from '../../ui/password-field.js';
import { Section } from '../../ui/section.js';
import { useUnsavedChanges } from '../../ui/unsaved-changes.js';
import { Facts } from '../shared/facts.js';
import { Page } from '../shared/page.js';
import { Credentials } from './credentials.js';
import { operatorSessionStore } from './operator-session.js';
import { useOperator } from './use-operator.js';

/** The operator's own account: session, language and credentials. */
export function AccountPage() {
  const { t } = useTranslation('operatorSession');
  const { loginName, operatorId, roles, expiresAt } = useOperator();
  const [language, setLanguage] = useLanguage();
  const signOut = useMutation({ mutationFn: () => operatorSessionStore.signOut() });
  return (
    <Page title={t('account')}>
      <Section title={loginName}>
        <Facts
          facts={[
            [t('roles'), roles.join(', ')],
            [t('operatorId'), operatorId],
            [t('sessionUntil'), <DateTime time={expiresAt} />],
          ]}
        />
        <Select
          label={t('language')}
          data={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
          value={language}
          allowDeselect={false}
          onChange={(value) => value && setLanguage(value)}
        />
        <ErrorAlert error={signOut.error} />
        <Button variant="light" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {t('signOut')}
        </Button>
      </Section>
      <OwnCredentials />
    </Page>
  );
}

const INITIAL_VALUES = { password: '', code: '', newPassword: '' };

/** Replaces password and second factor, which ends all sessions: the new ones stay on the page until it is left. */
function OwnCredentials() {
  const { t } = useTranslation('operatorSession');
  const { client } = useOperator();
  const fieldErrors = useFieldErrors();
  const [replaced, setReplaced] = useState<Schema<'SecondFactorDto'>>();
  const form = useForm({ initialValues: INITIAL_VALUES });
  useUnsavedChanges(useCallback(() => replaced !== undefined, [replaced]));
  const replace = useMutation({
    mutationFn: (values: typeof INITIAL_VALUES) => client.replaceCredentials(values),
    onSuccess: setReplaced,
    onError: (error, values) => {
      const { password, ...errors } = fieldErrors(error, values);
      form.setErrors({ ...errors, ...(password === undefined ? {} : { newPassword: password }) });
    },
  });
  if (replaced) {
    return (
      <Section title={t('newCredentials')}>
        <Credentials credentials={replaced} />
        <Button onClick={() => operatorSessionStore.end(false)}>{t('signInAgain')}</Button>
      </Section>
    );
  }
  return (
    <Section title={t('replaceCredentials')}>
      <Text c="dimmed">{t('replaceHint')}</Text>
      <form onSubmit={form.onSubmit((values) => replace.mutate(values))} noValidate>
        <PasswordField
          label={t('currentPassword')}
          required
          autoComplete="current-password"
          {...form.getInputProps('password')}
        />
        <TextInput
          mt="md"
          label={t('code')}
          description={t('codeHint')}
          required
          autoComplete="one-time-code"
          {...form.getInputProps('code')}
        />
        <PasswordField
          my="md"
          label={t('newPassword')}
          required
          autoComplete="new-password"
          {...form.getInputProps('newPassword')}
        />
        <ErrorAlert error={replace.error} />
        <Button mt="sm" type="submit" loading={replace.isPending}>
          {t('replace')}
        </Button>
      </form>
    </Section>
  );
}
