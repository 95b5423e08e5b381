import { ActionIcon, Group, Title } from '@mantine/core';
import { TbArrowLeft } from 'react-icons/tb';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

/** The heading of a page that another page leads to, with the way back to it. */
export function PageTitle({ title, back }: { title: string; back: Pick<LinkProps, 'to' | 'params'> }) {
  const { t } = useTranslation('pageTitle');
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionIcon aria-label={t('back')} renderRoot={(props) => <Link {...props} {...back} />}>
        <TbArrowLeft className="mantine-rotate-rtl" aria-hidden />
      </ActionIcon>
      <Title order={1} size="h2">
        {title}
      </Title>
    </Group>
  );
}
