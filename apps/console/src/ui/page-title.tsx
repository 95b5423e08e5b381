import { ActionIcon, Group, Title } from '@mantine/core';
import { TbArrowLeft } from 'react-icons/tb';
import { Link } from '@tanstack/react-router';
import type { LinkProps } from '@tanstack/react-router';
import { defineTexts, useTexts } from '../app/texts.js';

const texts = defineTexts('page-title', { en: { back: 'Back' }, 'zh-CN': { back: '返回' } });

/** The heading of a page that another page leads to, with the way back to it. */
export function PageTitle({ title, back }: { title: string; back: Pick<LinkProps, 'to' | 'params'> }) {
  const t = useTexts(texts);
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionIcon aria-label={t('back')} renderRoot={(props) => <Link {...props} {...back} />}>
        <TbArrowLeft aria-hidden />
      </ActionIcon>
      <Title order={1} size="h2">
        {title}
      </Title>
    </Group>
  );
}
