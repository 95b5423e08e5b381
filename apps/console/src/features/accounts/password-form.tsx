import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { useSession } from '../../core/session/use-session.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PasswordField } from '../../ui/password-field.js';
import { Section } from '../../ui/section.js';
import { useUnsavedChanges } from '../../ui/unsaved-changes.js';
import type { Profile } from './queries.js';
import { useStepUp } from './step-up.js';

/** Sets the first password of the person, or another one. */
export function PasswordForm({ profile: { hasPassword } }: { profile: Profile }) {
  const { t } = useTranslation('accounts');
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const withStepUp = useStepUp();
  const form = useForm({ initialValues: { password: '' } });
  useUnsavedChanges(form.isDirty);
  const setPassword = useMutation({
    mutationFn: ({ password }: { password: string }) =>
      withStepUp((stepUp) => client.accounts.setPassword({ password, stepUp })),
    onSuccess: async () => {
      form.reset();
      await Promise.all([['profile'], ['account']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      notifications.show({ message: t('passwordSet') });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <Section title={t(hasPassword ? 'changePassword' : 'setPassword')}>
      <form onSubmit={form.onSubmit((values) => setPassword.mutate(values))}>
        <Stack>
          <PasswordField
            label={t('newPassword')}
            description={t('endsOthers')}
            required
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <ErrorAlert error={setPassword.error} />
          <Button type="submit" variant="light" loading={setPassword.isPending}>
            {t(hasPassword ? 'changePassword' : 'setPassword')}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}
