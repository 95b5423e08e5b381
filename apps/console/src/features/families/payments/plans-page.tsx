import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { useDateFormat } from '../../../ui/date-time.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { Section } from '../../../ui/section.js';
import { useFamilyChildren } from '../queries.js';
import { formatSpace } from './formats.js';
import { OrderRow } from './order-row.js';
import { PaymentDialog } from './payment-dialog.js';
import { ProductCard } from './product-card.js';
import { entitlementsQuery, ordersQuery, productsQuery, type Entitlement } from './queries.js';

const route = getRouteApi('/signed-in/family/$familyId/plans');

/** What a family has paid for, the plans on sale, and the orders. */
export function PlansPage() {
  const { t } = useTranslation('payments');
  const { familyId } = route.useParams();
  const session = useSession();
  const entitlements = useQuery(entitlementsQuery(session, familyId));
  const products = useQuery(productsQuery(session));
  const orders = useInfiniteQuery(ordersQuery(session, familyId));
  const [payingOrderId, setPayingOrderId] = useState<string>();
  return (
    <Stack maw={640}>
      <PageTitle title={t('title')} back={{ to: '/family/$familyId', params: { familyId } }} />
      <Section title={t('entitlements')}>
        <QueryView query={entitlements}>
          {({ items }) => (
            <Stack>
              {items.length === 0 && <Text c="dimmed">{t('noEntitlements')}</Text>}
              {items.map((entitlement) => (
                <EntitlementRow key={entitlement.orderId} familyId={familyId} entitlement={entitlement} />
              ))}
            </Stack>
          )}
        </QueryView>
      </Section>
      <Section title={t('products')}>
        <QueryView query={products}>
          {({ items, providers }) => (
            <Stack>
              {items.length === 0 && <Text c="dimmed">{t('noProducts')}</Text>}
              {items.length > 0 && providers.length === 0 && <Text c="dimmed">{t('noProvider')}</Text>}
              {items.map((product) => (
                <ProductCard
                  key={product.productId}
                  familyId={familyId}
                  product={product}
                  canPay={providers.length > 0}
                  onOrdered={setPayingOrderId}
                />
              ))}
            </Stack>
          )}
        </QueryView>
      </Section>
      <Section title={t('orders')}>
        <QueryView query={orders}>
          {({ pages }) => (
            <Stack>
              {pages[0]?.items.length === 0 && <Text c="dimmed">{t('noOrders')}</Text>}
              {pages
                .flatMap(({ items }) => items)
                .map((order) => (
                  <OrderRow key={order.orderId} order={order} onPay={setPayingOrderId} />
                ))}
              {orders.hasNextPage && (
                <Button variant="light" loading={orders.isFetchingNextPage} onClick={() => void orders.fetchNextPage()}>
                  {t('more')}
                </Button>
              )}
            </Stack>
          )}
        </QueryView>
      </Section>
      {payingOrderId !== undefined && (
        <PaymentDialog
          orderId={payingOrderId}
          providers={products.data?.providers ?? []}
          onClose={() => setPayingOrderId(undefined)}
        />
      )}
    </Stack>
  );
}

function EntitlementRow({ familyId, entitlement }: { familyId: string; entitlement: Entitlement }) {
  const { t } = useTranslation('payments');
  const [language] = useLanguage();
  const formatDate = useDateFormat('date');
  const { kind, cid, cloudBytes, startsAt, endsAt } = entitlement;
  const name = useFamilyChildren(familyId).find((child) => child.cid === cid)?.name;
  const title = name === undefined ? t(`kind${kind}`) : t('kindFor', { kind: t(`kind${kind}`), name });
  return (
    <Stack gap={0}>
      <Text>{cloudBytes === null ? title : `${title}: ${formatSpace(cloudBytes, language)}`}</Text>
      <Text size="sm" c="dimmed">
        {t('period', { from: formatDate(startsAt), to: formatDate(endsAt) })}
      </Text>
    </Stack>
  );
}
