import { Card, Group, Stack, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

/** A part of a page with its heading. `action` is beside the heading. */
export function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Card component="section" withBorder aria-labelledby={id}>
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <Title id={id} order={2} size="h3">
            {title}
          </Title>
          {action}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}
