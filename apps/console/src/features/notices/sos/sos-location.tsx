import { Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { RelativeTime } from '../../../ui/relative-time.js';
import { OpenInMap } from '../../locations/map/open-in-map.js';
import { PlaceInWords } from '../../locations/overview/place-in-words.js';
import type { OpenSos } from './use-open-sos.js';

/** Where the child is: the newer one of the location of the call and the last location, which live tracking renews. */
export function SosLocation({ child: { cid, lastLocation }, sos }: OpenSos) {
  const { t } = useTranslation('sos');
  const { t: tChild } = useTranslation('children');
  const known = [lastLocation, sos.location].filter((each) => each !== null);
  const newest = known.toSorted((a, b) => b.positionTime - a.positionTime)[0];
  return (
    <Stack gap={4}>
      <Title order={2} size="h4">
        {t('where')}
      </Title>
      {newest ? (
        <>
          <PlaceInWords cid={cid} location={newest} />
          <Text size="lg">
            {tChild(`source${newest.pointType}`)}, {tChild('accuracy', { metres: newest.radius })},{' '}
            <RelativeTime time={newest.positionTime} />
          </Text>
          {sos.isLastLocation && newest.positionTime === sos.location?.positionTime && <Text>{t('lastLocation')}</Text>}
          <Text ff="monospace" dir="ltr" ta="start" aria-label={t('coordinates')}>
            {newest.latitude}, {newest.longitude}
          </Text>
          <Group>
            <OpenInMap location={newest} />
          </Group>
        </>
      ) : (
        <Text>{t('noLocation')}</Text>
      )}
    </Stack>
  );
}
