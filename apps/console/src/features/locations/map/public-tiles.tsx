import { Button, Group, Paper, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';

/** Styles of OpenFreeMap, which is free and needs no key. */
export const PUBLIC_STYLES = {
  light: 'https://tiles.openfreemap.org/styles/liberty',
  dark: 'https://tiles.openfreemap.org/styles/dark',
} as const;

export type PublicTilesChoice = 'yes' | 'no' | 'undecided';

/**
 * Whether the person wants the streets of OpenFreeMap, which then learns what area the person looks at. Kept in this
 * browser for each person.
 */
export function usePublicTilesChoice(): [PublicTilesChoice, (choice: PublicTilesChoice) => void] {
  const { userId } = useSession();
  const [choice, choose] = useLocalStorage<PublicTilesChoice>({
    key: `family-watch.public-tiles.${userId}`,
    defaultValue: 'undecided',
    getInitialValueInEffect: false,
  });
  return [choice, choose];
}

/** Asks the person once. */
export function PublicTilesQuestion({ onChoose }: { onChoose: (choice: 'yes' | 'no') => void }) {
  const { t } = useTranslation('map');
  return (
    <Paper component="section" withBorder p="xs" mt="xs" aria-label={t('publicTiles')}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex="1 1 240px">
          {t('publicTilesQuestion')}
        </Text>
        <Group gap="xs">
          <Button variant="light" onClick={() => onChoose('yes')}>
            {t('yes')}
          </Button>
          <Button variant="subtle" onClick={() => onChoose('no')}>
            {t('no')}
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}
