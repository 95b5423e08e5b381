import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../core/texts.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime } from '../../ui/date-time.js';
import { formatBytes } from '../../ui/format.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { IdSearch } from '../shared/id-search.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { StateBadge } from '../shared/state-badge.js';
import { useChange } from '../shared/use-change.js';
import { ImageUpload } from './image-upload.js';
import { imagesQuery, type FirmwareImage } from './queries.js';

/** Signed firmware images: upload and withdrawal. */
export function ImagesPage() {
  const { t } = useTranslation('operatorFirmware');
  const { t: tList } = useTranslation('operatorLists');
  const [language] = useLanguage();
  const [model, setModel] = useState('');
  const images = useInfiniteQuery(imagesQuery(useOperator(), model));
  return (
    <Page title={t('images')}>
      <Section title={t('uploadImage')}>
        <ImageUpload />
      </Section>
      <Section title={t('images')}>
        <IdSearch label={t('model')} description={t('modelFilterHint')} onSearch={setModel} canBeEmpty />
        <PagedList
          label={t('images')}
          query={images}
          keyOf={({ imageId }) => imageId}
          columns={[
            { name: t('model'), value: (image) => image.model },
            { name: t('version'), value: ({ version }) => version },
            {
              name: t('state'),
              value: ({ state }) => <StateBadge text={t(`image${state}`)} isBad={state === 'WITHDRAWN'} />,
            },
            { name: t('size'), value: ({ size }) => formatBytes(size, language) },
            { name: t('keyId'), value: ({ keyId }) => keyId },
            { name: t('createdAt'), value: ({ createdAt }) => <DateTime time={createdAt} /> },
            { name: tList('actions'), value: (image) => <WithdrawButton image={image} /> },
          ]}
        />
      </Section>
    </Page>
  );
}

function WithdrawButton({ image: { imageId, model, version, state } }: { image: FirmwareImage }) {
  const { t } = useTranslation('operatorFirmware');
  const { client } = useOperator();
  const withdraw = useChange(() => client.withdrawFirmwareImage({ imageId }));
  if (state === 'WITHDRAWN') return '–';
  return (
    <ConfirmButton
      label={t('withdraw')}
      aria-label={`${t('withdraw')}: ${model} ${version}`}
      title={t('withdrawTitle', { model, version })}
      question={t('withdrawQuestion', { imageId })}
      action={withdraw}
    />
  );
}
