import { Alert, Anchor, Button, Card, Center, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { anonymousClient, sessionStore, type IssuedSession } from '../../core/session/session-store.js';
import { useSessionState } from '../../core/session/use-session.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PasswordField } from '../../ui/password-field.js';
import { PhoneField } from '../../ui/phone-field.js';
import { SmsCodeInput } from './sms-code-input.js';
import { useSmsCode } from './use-sms-code.js';

type Mode = 'password' | 'code' | 'sign-up' | 'reset';

const SMS_SCENES = { password: 'SIGN_IN', code: 'SIGN_IN', 'sign-up': 'SIGN_UP', reset: 'RESET_PASSWORD' } as const;

const SUBMIT_TEXTS = { password: 'signIn', code: 'signIn', 'sign-up': 'signUp', reset: 'resetTitle' } as const;

const INITIAL_VALUES = { areaCode: '+86', phoneNumber: '', password: '', nickname: '', code: '' };
type Values = typeof INITIAL_VALUES;

const route = getRouteApi('/sign-in');

/** Sign-in by password or SMS code, sign-up, and a new password. What was typed stays when the mode changes. */
export function SignInPage() {
  const { t } = useTranslation('accounts');
  const state = useSessionState();
  const navigate = useNavigate();
  const { next = '/children' } = route.useSearch();
  const fieldErrors = useFieldErrors();
  const isInvited = next.startsWith('/family/join?');
  // Most who open an invitation are new here.
  const [mode, setMode] = useState<Mode>(isInvited ? 'sign-up' : 'password');
  const [isPasswordReset, setPasswordReset] = useState(false);
  const form = useForm<Values>({ initialValues: INITIAL_VALUES });
  const sms = useSmsCode(SMS_SCENES[mode]);
  const enter = useMutation({
    mutationFn: (values: Values) => requestSession(mode, values, sms.challengeId ?? ''),
    onSuccess: async (issued) => {
      sessionStore.begin(issued);
      await navigate({ to: next, replace: true });
    },
    onError: (error, values) => form.setErrors(fieldErrors(error, values)),
  });
  const changeMode = (changed: Mode) => {
    setMode(changed);
    enter.reset();
    resetPassword.reset();
    sms.reset();
    form.clearErrors();
  };
  const resetPassword = useMutation({
    mutationFn: ({ code, password }: Values) =>
      anonymousClient.accounts.resetPassword({
        challengeId: sms.challengeId ?? '',
        code,
        password,
        deviceToken: sessionStore.deviceToken,
      }),
    onSuccess: () => {
      changeMode('password');
      setPasswordReset(true);
    },
    onError: (error, values) => form.setErrors(fieldErrors(error, values)),
  });
  const submit = (values: Values) => {
    setPasswordReset(false);
    if (mode === 'reset') resetPassword.mutate(values);
    else enter.mutate(values);
  };
  const hasCode = mode !== 'password';
  return (
    <Center component="main" mih="100dvh" p="md">
      <Card w="100%" maw={420} padding="xl" withBorder>
        <form onSubmit={form.onSubmit(submit)} noValidate>
          <Stack>
            <Title order={1} ta="center">
              {t('title')}
            </Title>
            {isInvited && (
              <Alert color="teal" role="status">
                {t('invited')}
              </Alert>
            )}
            {state.status === 'signed-out' && state.hasEnded && (
              <Alert color="gray" role="status">
                {t('sessionEnded')}
              </Alert>
            )}
            {isPasswordReset && (
              <Alert color="gray" role="status">
                {t('resetDone')}
              </Alert>
            )}
            <PhoneField label={t('phoneNumber')} getInputProps={form.getInputProps} isOwn />
            {hasCode && (
              <SmsCodeInput
                sms={sms}
                phone={form.values}
                onError={(error) => form.setErrors(fieldErrors(error))}
                inputProps={form.getInputProps('code')}
              />
            )}
            {mode !== 'code' && (
              <PasswordField
                label={t(mode === 'password' ? 'password' : 'newPassword')}
                required
                autoComplete={mode === 'password' ? 'current-password' : 'new-password'}
                {...form.getInputProps('password')}
              />
            )}
            {mode === 'sign-up' && (
              <TextInput label={t('nickname')} required autoComplete="nickname" {...form.getInputProps('nickname')} />
            )}
            <ErrorAlert error={enter.error ?? resetPassword.error ?? sms.request.error} />
            <Button
              type="submit"
              loading={enter.isPending || resetPassword.isPending}
              disabled={hasCode && !sms.challengeId}
            >
              {t(SUBMIT_TEXTS[mode])}
            </Button>
            {mode === 'sign-up' || mode === 'reset' ? (
              <Button variant="subtle" onClick={() => changeMode('password')}>
                {t('toSignIn')}
              </Button>
            ) : (
              <>
                <Button variant="subtle" onClick={() => changeMode(mode === 'password' ? 'code' : 'password')}>
                  {t(mode === 'password' ? 'withCode' : 'withPassword')}
                </Button>
                <Button variant="subtle" onClick={() => changeMode('reset')}>
                  {t('forgotPassword')}
                </Button>
                <Button variant="subtle" onClick={() => changeMode('sign-up')}>
                  {t('toSignUp')}
                </Button>
              </>
            )}
            <Anchor renderRoot={(props) => <Link {...props} to="/watch" target="_blank" />} ta="center" py="xs">
              {t('browserWatch')}
            </Anchor>
          </Stack>
        </form>
      </Card>
    </Center>
  );
}

function requestSession(
  mode: Mode,
  { areaCode, phoneNumber, password, nickname, code }: Values,
  challengeId: string,
): Promise<IssuedSession> {
  const { accounts } = anonymousClient;
  const { deviceToken } = sessionStore;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const refreshTokenCookie = true;
  if (mode === 'sign-up')
    return accounts.signUp({ challengeId, code, password, nickname, timeZone, refreshTokenCookie });
  if (mode === 'code') return accounts.signIn({ challengeId, code, deviceToken, refreshTokenCookie });
  return accounts.signIn({ areaCode, phoneNumber, password, deviceToken, refreshTokenCookie });
}
