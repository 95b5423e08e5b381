import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useTexts } from '../../app/texts.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { texts as childTexts } from '../children/texts.js';
import { texts } from './texts.js';
import type { OpenSos } from './use-open-sos.js';

/** Where the child is: the newer one of the location of the call and the last location, which live tracking renews. */
export function SosLocation({ child: { lastLocation }, sos }: OpenSos) {
  const t = useTexts(texts);
  const tChild = useTexts(childTexts);
  const known = [lastLocation, sos.location].filter((each) => each !== null);
  const newest = known.toSorted((a, b) => b.positionTime - a.positionTime)[0];
  return (
    <Stack gap={4}>
      <Title order={2} size="h4">
        {t('where')}
      </Title>
      {newest ? (
        <>
          <Text size="lg">
            {tChild(`source${newest.pointType}`)}, {tChild('accuracy', { metres: newest.radius })},{' '}
            <RelativeTime time={newest.positionTime} />
          </Text>
          {sos.isLastLocation && newest.positionTime === sos.location?.positionTime && <Text>{t('lastLocation')}</Text>}
          <Text ff="monospace" aria-label={t('coordinates')}>
            {newest.latitude}, {newest.longitude}
          </Text>
          <Anchor href={`geo:${newest.latitude},${newest.longitude}`} py="xs">
            {t('openMap')}
          </Anchor>
        </>
      ) : (
        <Text>{t('noLocation')}</Text>
      )}
    </Stack>
  );
}
