import type { Schema } from '@family-watch/client';
import { Alert, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../app/session/use-session.js';
import { defineTexts, useTexts } from '../app/texts.js';
import { profileQuery } from '../features/family/queries.js';
import { ErrorAlert } from './error-alert.js';

const texts = defineTexts('step-up', {
  en: {
    password: 'Your password',
    withCode: 'Use an SMS code',
    withPassword: 'Use the password',
    sendCode: 'Send an SMS code',
    codeSent: 'The code has been sent to your phone number.',
    code: 'SMS code',
  },
  'zh-CN': {
    password: '您的密码',
    withCode: '改用短信验证码',
    withPassword: '改用密码',
    sendCode: '发送短信验证码',
    codeSent: '验证码已发送到您的手机。',
    code: '短信验证码',
  },
});

export type StepUp = Schema<'StepUpDto'>;

/** Whether the fields contain a password or a code. */
export function isStepUpComplete({ password, challengeId, code }: StepUp): boolean {
  return Boolean(password) || Boolean(challengeId && code);
}

/** Asks the signed-in person for the password or an SMS code, before a sensitive operation. */
export function StepUpFields({ value, onChange }: { value: StepUp; onChange: (value: StepUp) => void }) {
  const t = useTexts(texts);
  const session = useSession();
  const { data: profile } = useQuery(profileQuery(session));
  const [isByCode, setByCode] = useState(false);
  const sendCode = useMutation({
    mutationFn: ({ areaCode, phoneNumber }: Schema<'ProfileDto'>) =>
      session.client.accounts.sendSmsCode({ areaCode, phoneNumber, scene: 'STEP_UP' }),
    onSuccess: ({ challengeId }) => onChange({ challengeId, code: '' }),
  });
  const usesCode = isByCode || profile?.hasPassword === false;
  const change = () => {
    setByCode(!isByCode);
    onChange({});
  };
  return (
    <Stack gap="sm">
      {usesCode ? (
        <>
          <Button
            variant="light"
            loading={sendCode.isPending}
            disabled={!profile}
            onClick={() => profile && sendCode.mutate(profile)}
          >
            {t('sendCode')}
          </Button>
          {sendCode.isSuccess && (
            <Alert color="gray" role="status">
              {t('codeSent')}
            </Alert>
          )}
          <ErrorAlert error={sendCode.error} />
          <TextInput
            label={t('code')}
            inputMode="numeric"
            autoComplete="one-time-code"
            disabled={!value.challengeId}
            value={value.code ?? ''}
            onChange={({ currentTarget }) => onChange({ ...value, code: currentTarget.value })}
          />
        </>
      ) : (
        <PasswordInput
          label={t('password')}
          autoComplete="current-password"
          value={value.password ?? ''}
          onChange={({ currentTarget }) => onChange({ password: currentTarget.value })}
        />
      )}
      {profile?.hasPassword && (
        <Group>
          <Button variant="subtle" onClick={change}>
            {t(isByCode ? 'withPassword' : 'withCode')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
