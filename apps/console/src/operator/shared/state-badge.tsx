import { Badge } from '@mantine/core';

/** A state in words. Red is for states that somebody must look at. */
export function StateBadge({ text, isBad = false }: { text: string; isBad?: boolean }) {
  return (
    <Badge variant="light" tt="none" size="lg" miw="max-content" color={isBad ? 'red' : 'gray'}>
      {text}
    </Badge>
  );
}
