import { Button, Group, Slider, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface BatterySliderProps {
  battery: number;
  onChange: (battery: number) => void;
  /** The value that stays after the slider was moved. */
  onEnd: (battery: number) => void;
  isOff: boolean;
  onTurnOn: () => void;
}

/** What a person does to the watch from outside: drain and charge it, and press its button. */
export function BatterySlider({ battery, onChange, onEnd, isOff, onTurnOn }: BatterySliderProps) {
  const { t } = useTranslation('watch');
  return (
    <Stack gap={4} w={280}>
      <Group justify="space-between">
        <Text size="sm">
          {t('battery')} {battery} %
        </Text>
        {isOff && (
          <Button variant="light" disabled={battery === 0} onClick={onTurnOn}>
            {t('turnOn')}
          </Button>
        )}
      </Group>
      <Slider
        size="lg"
        py={10}
        label={null}
        thumbLabel={t('battery')}
        value={battery}
        onChange={onChange}
        onChangeEnd={onEnd}
      />
    </Stack>
  );
}
