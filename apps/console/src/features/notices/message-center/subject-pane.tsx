import type { Schema } from '@family-watch/client';
import { Button, Card, Stack, Text, Title } from '@mantine/core';
import { TbArrowRight } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { DateTime } from '../../../ui/date-time.js';
import { QueryView } from '../../../ui/query-view.js';
import { ChildCard } from '../../families/children/child-card.js';
import { childrenQuery, watchesQuery } from '../../families/queries.js';
import { ChildrenMap } from '../../locations/overview/children-map.js';
import { PlaceInWords } from '../../locations/overview/place-in-words.js';
import { sosQuery } from '../sos/queries.js';
import { SosView } from '../sos/sos-page.js';
import type { CenterMessage } from './queries.js';
import { subjectOf } from './subjects.js';

interface SubjectPaneProps {
  message: CenterMessage | undefined;
  /** The message in words. */
  text: string;
}

/** What a message is about, beside the list: the SOS, or the child as it is now, and the way to the page about it. */
export function SubjectPane({ message, text }: SubjectPaneProps) {
  const { t } = useTranslation('messageCenter');
  const children = useQuery(childrenQuery(useSession()));
  if (!message) return <Text c="dimmed">{t('choose')}</Text>;
  const child = children.data?.childList.find(({ cid }) => cid === message.cid);
  return (
    <Card component="section" withBorder aria-label={text}>
      <Stack>
        <Title order={2} size="h3">
          {text}
        </Title>
        <Text c="dimmed">
          <DateTime time={message.time} />
        </Text>
        {child && (message.category === 'SOS' ? <Sos child={child} message={message} /> : <ChildNow child={child} />)}
        <Button
          renderRoot={(props) => <Link {...props} {...subjectOf(message)} />}
          variant="light"
          rightSection={<TbArrowRight aria-hidden />}
        >
          {t('openSubject')}
        </Button>
      </Stack>
    </Card>
  );
}

interface SubjectProps {
  child: Schema<'ChildDto'>;
  message: CenterMessage;
}

function Sos({ child, message }: SubjectProps) {
  const sos = useQuery(sosQuery(useSession(), child.cid, String(message.params['sosId'])));
  return <QueryView query={sos}>{(data) => data && <SosView child={child} sos={data} />}</QueryView>;
}

function ChildNow({ child }: Pick<SubjectProps, 'child'>) {
  const { cid, device, lastLocation } = child;
  const { data: watches } = useQuery(watchesQuery(useSession()));
  return (
    <>
      {lastLocation && <ChildrenMap childList={[child]} hasPlaces height={320} />}
      <ChildCard
        child={child}
        watch={watches?.items.find(({ did }) => did === device?.did)}
        place={lastLocation && <PlaceInWords cid={cid} location={lastLocation} />}
      />
    </>
  );
}
