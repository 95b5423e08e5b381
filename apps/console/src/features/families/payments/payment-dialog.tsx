import { Button, Group, Loader, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { useDateFormat } from '../../../ui/date-time.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { QrCode } from '../../../ui/qr-code.js';
import { QueryView } from '../../../ui/query-view.js';
import { formatAmount } from './formats.js';
import { isPayable, paidOrderQuery, type Provider } from './queries.js';

/** Begins the payment of an order and follows it until the provider has confirmed the payment. */
export function PaymentDialog({
  orderId,
  providers,
  onClose,
}: {
  orderId: string;
  providers: readonly string[];
  onClose: () => void;
}) {
  const { t } = useTranslation('payments');
  const [language] = useLanguage();
  const formatTime = useDateFormat();
  const session = useSession();
  const queries = useQueryClient();
  const order = useQuery(paidOrderQuery(session, orderId));
  const [provider, setProvider] = useState(providers[0] ?? null);
  const pay = useMutation({
    mutationFn: () => session.client.payments.payOrder({ orderId, provider: provider as Provider | null }),
  });
  const checkout = pay.data;
  const state = order.data?.state;
  useEffect(() => {
    // The list of orders and what the family has follow the state of this order.
    if (state === undefined) return;
    for (const part of ['orders', 'entitlements']) void queries.invalidateQueries({ queryKey: ['payments', part] });
  }, [queries, state]);
  return (
    <Dialog opened onClose={onClose} title={t('payTitle')}>
      <QueryView query={order}>
        {(current) => (
          <Stack>
            <Text>
              {current.title} · {formatAmount(current.amount, current.currency, language)}
            </Text>
            {!isPayable(current) ? (
              <>
                <Text fw={700} role="status">
                  {t(`state${current.state}`)}
                </Text>
                <Button onClick={onClose}>{t('done')}</Button>
              </>
            ) : checkout ? (
              <>
                {checkout.checkoutUrl.startsWith('weixin:') ? (
                  <Stack align="center">
                    <Text>{t('scanHint')}</Text>
                    <QrCode text={checkout.checkoutUrl} label={t('payQr')} />
                  </Stack>
                ) : (
                  <>
                    <Text>{t('payHint')}</Text>
                    <Button component="a" href={checkout.checkoutUrl} target="_blank" rel="noopener">
                      {t('openPayment')}
                    </Button>
                  </>
                )}
                <Group gap="xs" role="status">
                  <Loader size="sm" aria-hidden />
                  <Text>{t('waiting')}</Text>
                </Group>
                <Text size="sm" c="dimmed">
                  {t('payBefore', { time: formatTime(checkout.expiresAt) })}
                </Text>
              </>
            ) : (
              <>
                <Select
                  label={t('provider')}
                  data={providers.map((value) => ({ value, label: t(`provider${value as Provider}`) }))}
                  value={provider}
                  allowDeselect={false}
                  onChange={setProvider}
                />
                <ErrorAlert error={pay.error} />
                <Button loading={pay.isPending} onClick={() => pay.mutate()}>
                  {t('pay')}
                </Button>
              </>
            )}
          </Stack>
        )}
      </QueryView>
    </Dialog>
  );
}
