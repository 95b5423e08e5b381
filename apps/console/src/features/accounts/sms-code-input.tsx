import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Phone, useSmsCode } from './use-sms-code.js';

/** The field for the code of an SMS, with the button that requests the SMS. */
export function SmsCodeInput({
  sms,
  phone,
  inputProps,
  onError,
}: {
  sms: ReturnType<typeof useSmsCode>;
  phone: Phone | undefined;
  inputProps: GetInputPropsReturnType;
  onError: (error: unknown) => void;
}) {
  const { t } = useTranslation('accounts');
  const isReady = phone !== undefined && phone.phoneNumber !== '';
  const send = () => {
    if (isReady) sms.request.mutate({ areaCode: phone.areaCode, phoneNumber: phone.phoneNumber }, { onError });
  };
  return (
    <Stack>
      <Group align="start" wrap="nowrap">
        <TextInput
          flex={1}
          label={t('code')}
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          {...inputProps}
        />
        <Button
          variant="light"
          mt={28}
          loading={sms.request.isPending}
          disabled={sms.secondsLeft > 0 || !isReady}
          onClick={send}
        >
          {sms.secondsLeft > 0 ? t('resendIn', { seconds: sms.secondsLeft }) : t('sendCode')}
        </Button>
      </Group>
      {sms.request.isSuccess && (
        <Alert color="gray" variant="light" role="status">
          {t('codeSent')}
        </Alert>
      )}
    </Stack>
  );
}
