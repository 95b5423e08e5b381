import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../core/texts.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Section } from '../../ui/section.js';
import { formatAmount, formatSpace } from '../../features/families/payments/formats.js';
import { useOperator } from '../session/use-operator.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { StateBadge } from '../shared/state-badge.js';
import { useChange } from '../shared/use-change.js';
import { productsQuery, type Product } from './queries.js';
import { SetProduct } from './set-product.js';

/** What families can buy. */
export function ProductsPage() {
  const { t } = useTranslation('operatorBilling');
  const { t: tList } = useTranslation('operatorLists');
  const [language] = useLanguage();
  const products = useInfiniteQuery(productsQuery(useOperator()));
  return (
    <Page title={t('products')}>
      <Section title={t('setProduct')}>
        <SetProduct />
      </Section>
      <Section title={t('products')}>
        <PagedList
          label={t('products')}
          query={products}
          keyOf={({ productId }) => productId}
          columns={[
            { name: t('productId'), value: ({ productId }) => productId },
            { name: t('productTitle'), value: ({ title }) => title },
            { name: t('price'), value: ({ amount, currency }) => formatAmount(amount, currency, language) },
            { name: t('days'), value: ({ periodDays }) => periodDays },
            {
              name: t('space'),
              value: ({ cloudBytes }) => (cloudBytes === null ? t('watchPlan') : formatSpace(cloudBytes, language)),
            },
            {
              name: t('state'),
              value: ({ retiredAt }) => (
                <StateBadge text={t(retiredAt === null ? 'onSale' : 'retired')} isBad={retiredAt !== null} />
              ),
            },
            { name: tList('actions'), value: (product) => <RetireButton product={product} /> },
          ]}
        />
      </Section>
    </Page>
  );
}

function RetireButton({ product: { productId, retiredAt } }: { product: Product }) {
  const { t } = useTranslation('operatorBilling');
  const { client } = useOperator();
  const retire = useChange(() => client.retireProduct({ productId }));
  if (retiredAt !== null) return '–';
  return (
    <ConfirmButton
      label={t('retire')}
      aria-label={`${t('retire')}: ${productId}`}
      title={t('retireTitle', { productId })}
      question={t('retireQuestion')}
      action={retire}
    />
  );
}
