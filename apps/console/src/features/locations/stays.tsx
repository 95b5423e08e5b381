import type { Schema } from '@family-watch/client';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { useLanguage } from '../../core/texts.js';
import { formatHours } from '../../ui/format.js';
import { fencesQuery } from './fences/queries.js';
import { placeWordsOf } from './overview/place-words.js';
import { usePlaceText } from './overview/use-place-text.js';

interface StaysProps {
  cid: string;
  visits: readonly Schema<'VisitDto'>[];
  formatTime: (time: number) => string;
  onShow: (visit: Schema<'VisitDto'>) => void;
}

/** Where a child stayed on a day, and how long. */
export function Stays({ cid, visits, formatTime, onShow }: StaysProps) {
  const { t } = useTranslation('locations');
  const [language] = useLanguage();
  const { data: fences } = useQuery(fencesQuery(useSession(), cid));
  const textOf = usePlaceText();
  if (visits.length === 0) return <Text c="dimmed">{t('noVisits')}</Text>;
  return (
    <Stack component="ol" gap={0} p={0} m={0} style={{ listStyle: 'none' }} aria-label={t('visits')}>
      {visits.map((visit) => {
        const words = placeWordsOf(fences?.items ?? [], visit);
        const duration = formatHours(visit.to - visit.from, language);
        return (
          <Group component="li" key={visit.from} justify="space-between" wrap="nowrap" py={4}>
            <Stack gap={0}>
              <Text fw={600}>{words ? textOf(words) : `${visit.latitude}, ${visit.longitude}`}</Text>
              <Text size="sm" c="dimmed">
                {formatTime(visit.from)}–{formatTime(visit.to)} · {duration}
              </Text>
            </Stack>
            <Button
              variant="subtle"
              flex="none"
              aria-label={t('showVisit', { time: formatTime(visit.from) })}
              onClick={() => onShow(visit)}
            >
              {t('show')}
            </Button>
          </Group>
        );
      })}
    </Stack>
  );
}
