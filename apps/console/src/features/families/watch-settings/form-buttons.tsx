import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface FormButtonsProps {
  /** Whether somebody else has changed the settings, so that saving replaces that change. */
  isStale?: boolean;
  isPending: boolean;
  onClose: () => void;
}

/** The buttons that save and close the form of an item. */
export function FormButtons({ isStale = false, isPending, onClose }: FormButtonsProps) {
  const { t } = useTranslation('watchSettings');
  return (
    <Group>
      <Button type="submit" loading={isPending}>
        {t(isStale ? 'saveAnyway' : 'save')}
      </Button>
      <Button variant="subtle" onClick={onClose}>
        {t('cancel')}
      </Button>
    </Group>
  );
}
