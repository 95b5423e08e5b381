import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import type { Schema } from '@family-watch/client';
import { useTranslation } from 'react-i18next';
import { QrCode } from '../../ui/qr-code.js';

/** The credentials that the service shows once: second factor, recovery codes, and the initial password of an account. */
export function Credentials({
  credentials: { otpauthUrl, recoveryCodes },
  password,
}: {
  credentials: Pick<Schema<'SecondFactorDto'>, 'otpauthUrl' | 'recoveryCodes'>;
  password?: string;
}) {
  const { t } = useTranslation('operatorSession');
  const secret = new URL(otpauthUrl).searchParams.get('secret') ?? '';
  return (
    <Stack>
      <Alert color="orange" variant="light">
        {t('shownOnce')}
      </Alert>
      {password !== undefined && <Secret label={t('initialPassword')} value={password} />}
      <Text fw={500}>{t('authenticator')}</Text>
      <QrCode text={otpauthUrl} label={t('authenticatorCode')} />
      <Secret label={t('authenticatorSecret')} value={secret} />
      <Secret label={t('recoveryCodes')} value={recoveryCodes.join('\n')} />
    </Stack>
  );
}

function Secret({ label, value }: { label: string; value: string }) {
  const { t } = useTranslation('operatorSession');
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text fw={500}>{label}</Text>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button variant="subtle" onClick={copy} aria-label={t('copy', { what: label })}>
              {t(copied ? 'copied' : 'copyShort')}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block aria-label={label} tabIndex={0}>
        {value}
      </Code>
    </Stack>
  );
}
