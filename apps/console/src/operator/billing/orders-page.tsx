import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../core/texts.js';
import { DateTime } from '../../ui/date-time.js';
import { Section } from '../../ui/section.js';
import { formatAmount } from '../../features/families/payments/formats.js';
import { hasRole, useOperator } from '../session/use-operator.js';
import { IdSearch } from '../shared/id-search.js';
import { FamilyLink } from '../shared/links.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { StateFilter } from '../shared/state-filter.js';
import { StateBadge } from '../shared/state-badge.js';
import { ORDER_STATES, ordersQuery, type OrderState } from './queries.js';

/** The orders of all families. */
export function OrdersPage() {
  const { t } = useTranslation('operatorBilling');
  const [language] = useLanguage();
  const session = useOperator();
  const [state, setState] = useState<'' | OrderState>('');
  const [familyId, setFamilyId] = useState('');
  const orders = useInfiniteQuery(ordersQuery(session, { state, familyId }));
  const showsFamilies = hasRole(session, 'SUPPORT');
  return (
    <Page title={t('orders')}>
      <Section title={t('orders')}>
        <StateFilter
          label={t('state')}
          states={ORDER_STATES}
          textOf={(each) => t(`order${each}`)}
          value={state}
          onChange={setState}
        />
        <IdSearch label={t('familyId')} description={t('familyIdHint')} onSearch={setFamilyId} canBeEmpty />
        <PagedList
          label={t('orders')}
          query={orders}
          keyOf={({ orderId }) => orderId}
          columns={[
            { name: t('createdAt'), value: ({ createdAt }) => <DateTime time={createdAt} /> },
            { name: t('productId'), value: ({ productId }) => productId },
            { name: t('price'), value: ({ amount, currency }) => formatAmount(amount, currency, language) },
            {
              name: t('state'),
              value: (order) => <StateBadge text={t(`order${order.state}`)} isBad={order.state === 'FAILED'} />,
            },
            { name: t('provider'), value: ({ provider }) => provider ?? '–' },
            {
              name: t('familyId'),
              value: (order) => (showsFamilies ? <FamilyLink familyId={order.familyId} /> : order.familyId),
            },
            { name: t('orderId'), value: ({ orderId }) => orderId },
          ]}
        />
      </Section>
    </Page>
  );
}
