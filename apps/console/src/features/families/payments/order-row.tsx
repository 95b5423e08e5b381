import { Button, Divider, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { DateTime } from '../../../ui/date-time.js';
import { familiesQuery, OWNER } from '../queries.js';
import { formatAmount } from './formats.js';
import { isPayable, type Order } from './queries.js';

/** Milliseconds after the payment for which an order can be returned. */
const REFUND_WINDOW_MS = 14 * 86_400_000;

export function OrderRow({ order, onPay }: { order: Order; onPay: (orderId: string) => void }) {
  const { t } = useTranslation('payments');
  const [language] = useLanguage();
  const session = useSession();
  const { client, userId } = session;
  const queries = useQueryClient();
  const { data: families } = useQuery(familiesQuery(session));
  const { orderId, familyId, title, amount, currency, state, createdAt, paidAt, by } = order;
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['payments'] });
  const close = useMutation({ mutationFn: () => client.payments.closeOrder({ orderId }), onSuccess });
  const refund = useMutation({ mutationFn: () => client.payments.refundOrder({ orderId }), onSuccess });
  const isOwner = families?.items.some((family) => family.familyId === familyId && family.role === OWNER) ?? false;
  // The service does not say who paid. A guardian who ordered and did not pay gets its error.
  const canRefund =
    state === 'FULFILLED' &&
    paidAt !== null &&
    Date.now() < paidAt + REFUND_WINDOW_MS &&
    (isOwner || by === `user:${userId}`);
  return (
    <Stack gap="xs">
      <Divider />
      <Group justify="space-between" wrap="nowrap" align="start">
        <Stack gap={0}>
          <Text>{title}</Text>
          <Text size="sm" c="dimmed">
            {t(`state${state}`)}
            {by?.startsWith('watch:') && ` · ${t('ofWatch')}`}
            {' · '}
            <DateTime time={paidAt ?? createdAt} />
          </Text>
        </Stack>
        <Text flex="none">{formatAmount(amount, currency, language)}</Text>
      </Group>
      {(isPayable(order) || canRefund) && (
        <Group gap="xs">
          {isPayable(order) && (
            <>
              <Button variant="light" onClick={() => onPay(orderId)}>
                {t('pay')}
              </Button>
              <ConfirmButton label={t('close')} question={t('closeQuestion')} action={close} />
            </>
          )}
          {canRefund && <ConfirmButton label={t('refund')} question={t('refundQuestion')} action={refund} />}
        </Group>
      )}
    </Stack>
  );
}
