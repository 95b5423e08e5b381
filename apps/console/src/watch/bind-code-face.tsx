import { Button, CopyButton, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { encode } from 'uqr';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../ui/error-alert.js';
import type { EnrolledWatch } from './watch-identity.js';

/** Milliseconds before the expiry of a code at which a new one is requested. */
const RENEWAL_MARGIN_MS = 10_000;

/** The codes with which a parent binds the watch. */
export function BindCodeFace({ watch: { client, did } }: { watch: EnrolledWatch }) {
  const { t } = useTranslation('watch');
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['bind-code', did],
    queryFn: () => client.watch.createBindCode(),
    refetchInterval: ({ state }) => (state.data ? state.data.expiresIn * 1_000 - RENEWAL_MARGIN_MS : RENEWAL_MARGIN_MS),
    staleTime: Infinity,
    // A code can be used once: an unbound watch must not show the code with which it was bound.
    gcTime: 0,
  });
  if (!data) return error ? <ErrorAlert error={error} /> : <Loader aria-label={t('enrolling')} mx="auto" />;
  return (
    <Stack align="center" gap="xs">
      <QrCode text={data.bindCode} />
      <Text size="xs" ff="monospace" aria-label={t('bindCode')} data-testid="bind-code">
        {data.bindCode}
      </Text>
      <CopyButton value={data.bindCode}>
        {({ copied, copy }) => (
          <Button size="xs" variant="light" onClick={copy}>
            {t(copied ? 'copied' : 'copy')}
          </Button>
        )}
      </CopyButton>
      <Text size="xl" fw={700} lts={4} aria-label={t('confirmCode')} data-testid="confirm-code">
        {data.confirmCode}
      </Text>
      <Text size="xs" c="dimmed" ta="center">
        {t('bindHint')}
      </Text>
      <Button size="xs" variant="subtle" loading={isFetching} onClick={() => void refetch()}>
        {t('newCode')}
      </Button>
    </Stack>
  );
}

function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={150} height={150} role="img" aria-label="QR">
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}
