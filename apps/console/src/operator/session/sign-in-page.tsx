import { Alert, Button, Card, Center, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PasswordField } from '../../ui/password-field.js';
import { operatorSessionStore } from './operator-session.js';

const INITIAL_VALUES = { loginName: '', password: '', code: '' };

/** Sign-in with password and second factor. @param hasEnded - whether the last session ended by itself */
export function OperatorSignInPage({ hasEnded }: { hasEnded: boolean }) {
  const { t } = useTranslation('operatorSession');
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: INITIAL_VALUES });
  const signIn = useMutation({
    mutationFn: (values: typeof INITIAL_VALUES) => operatorSessionStore.signIn(values),
    onError: (error, values) => {
      form.setErrors(fieldErrors(error, values));
      // Each code is valid once.
      form.setFieldValue('code', '');
    },
  });
  return (
    <Center component="main" mih="100dvh" p="md">
      <Card w="100%" maw={420} padding="xl" withBorder>
        <form onSubmit={form.onSubmit((values) => signIn.mutate(values))} noValidate>
          <Stack>
            <Title order={1} ta="center" size="h2">
              {t('title')}
            </Title>
            {hasEnded && (
              <Alert color="gray" role="status">
                {t('sessionEnded')}
              </Alert>
            )}
            <TextInput
              label={t('loginName')}
              required
              autoComplete="username"
              autoCapitalize="none"
              {...form.getInputProps('loginName')}
            />
            <PasswordField
              label={t('password')}
              required
              autoComplete="current-password"
              {...form.getInputProps('password')}
            />
            <TextInput
              label={t('code')}
              description={t('codeHint')}
              required
              autoComplete="one-time-code"
              {...form.getInputProps('code')}
            />
            <ErrorAlert error={signIn.error} />
            <Button type="submit" loading={signIn.isPending}>
              {t('signIn')}
            </Button>
          </Stack>
        </form>
      </Card>
    </Center>
  );
}
