import { Button, Group, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { useFamilyChildren } from '../queries.js';
import { formatAmount, formatSpace } from './formats.js';
import type { Product } from './queries.js';

/** A plan with its price, and the form that orders it. */
export function ProductCard({
  familyId,
  product,
  canPay,
  onOrdered,
}: {
  familyId: string;
  product: Product;
  canPay: boolean;
  onOrdered: (orderId: string) => void;
}) {
  const { t } = useTranslation('payments');
  const [language] = useLanguage();
  const { client } = useSession();
  const queries = useQueryClient();
  const familyChildren = useFamilyChildren(familyId);
  const { productId, kind, title, amount, currency, cloudBytes, periodDays } = product;
  const isForChild = kind === 'WATCH_PLAN';
  const [chosenCid, setCid] = useState<string | null>(null);
  const cid = chosenCid ?? familyChildren[0]?.cid;
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const order = useMutation({
    mutationFn: () =>
      client.payments.createOrder({ productId, ...(isForChild ? { cid } : { familyId }) }, { idempotencyKey }),
    onSuccess: async ({ orderId }) => {
      setIdempotencyKey(crypto.randomUUID());
      await queries.invalidateQueries({ queryKey: ['payments', 'orders', familyId] });
      onOrdered(orderId);
    },
  });
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="start">
          <Stack gap={0}>
            <Title order={3} size="h4">
              {title}
            </Title>
            <Text size="sm" c="dimmed">
              {t(`kind${kind}`)}
              {cloudBytes !== null && ` · ${t('space', { size: formatSpace(cloudBytes, language) })}`}
            </Text>
          </Stack>
          <Stack gap={0} align="end" flex="none">
            <Text size="lg" fw={700}>
              {formatAmount(amount, currency, language)}
            </Text>
            <Text size="sm" c="dimmed">
              {t('days', { count: periodDays })}
            </Text>
          </Stack>
        </Group>
        {isForChild && (
          <Select
            label={t('child')}
            data={familyChildren.map((child) => ({ value: child.cid, label: child.name }))}
            value={cid ?? null}
            allowDeselect={false}
            onChange={setCid}
          />
        )}
        <ErrorAlert error={order.error} />
        <Button
          variant="light"
          loading={order.isPending}
          disabled={!canPay || (isForChild && cid === undefined)}
          onClick={() => order.mutate()}
        >
          {t('order')}
        </Button>
      </Stack>
    </Paper>
  );
}
