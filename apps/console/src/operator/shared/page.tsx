import { Group, Stack, Title } from '@mantine/core';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageTitle } from '../../ui/page-title.js';

interface PageProps {
  title: string;
  /** The page that leads to this one. */
  back?: Pick<LinkProps, 'to' | 'params'>;
  /** Beside the heading. */
  action?: ReactNode;
  children: ReactNode;
}

/** A page of operators with its heading. */
export function Page({ title, back, action, children }: PageProps) {
  return (
    <Stack maw={1080} gap="lg">
      <Group justify="space-between">
        {back ? (
          <PageTitle title={title} back={back} />
        ) : (
          <Title order={1} size="h2">
            {title}
          </Title>
        )}
        {action}
      </Group>
      {children}
    </Stack>
  );
}
