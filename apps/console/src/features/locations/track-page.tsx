import type { Schema } from '@family-watch/client';
import { ActionIcon, Alert, Group, Slider, Stack, Text, TextInput, Title } from '@mantine/core';
import { TbChevronLeft, TbChevronRight, TbPlayerPause, TbPlayerPlay } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { useLanguage } from '../../core/texts.js';
import { formatTime, isOwnZone } from '../../ui/format.js';
import { PageTitle } from '../../ui/page-title.js';
import { QueryView } from '../../ui/query-view.js';
import { childDetailQuery } from '../families/queries.js';
import { fencesQuery } from './fences/queries.js';
import { placeNameOf } from './fences/shape.js';
import { circleAround, positionOf } from './map/geometry.js';
import { MapView } from './map/map-view.js';
import { addDays, boundsOfDay, dayOf } from './day.js';
import { travelledDistance } from './day-summary.js';
import { formatDistance } from './overview/place-words.js';
import { trackQuery, visitsQuery } from './queries.js';
import { Stays } from './stays.js';
import { TrackMarker } from './track-marker.js';
import { momentAt, splitAtGaps, type TrackPoint } from './track.js';
import { useReplay } from './use-replay.js';

/** Less is the inaccuracy of the points. Metres. */
const MIN_DISTANCE = 50;

const route = getRouteApi('/signed-in/children/$cid/track');

/** Where a child was on a day, on the clock of the child. */
export function TrackPage() {
  const { t } = useTranslation('locations');
  const { cid } = route.useParams();
  const child = useQuery(childDetailQuery(useSession(), cid));
  return (
    <Stack>
      <PageTitle
        title={t('trackTitle', { name: child.data?.name ?? '' })}
        back={{ to: '/children/$cid', params: { cid } }}
      />
      <QueryView query={child}>{({ timeZone }) => <DayView cid={cid} timeZone={timeZone} />}</QueryView>
    </Stack>
  );
}

function DayView({ cid, timeZone }: { cid: string; timeZone: string }) {
  const { t } = useTranslation('locations');
  const session = useSession();
  const navigate = route.useNavigate();
  const today = dayOf(Date.now(), timeZone);
  const { day = today } = route.useSearch();
  const period = boundsOfDay(day, timeZone);
  const track = useQuery(trackQuery(session, cid, period));
  const visits = useQuery(visitsQuery(session, cid, period));
  const show = (next: string) => void navigate({ search: { day: next }, replace: true });
  return (
    <Stack>
      <Group align="end" wrap="nowrap" gap="xs">
        <ActionIcon variant="default" aria-label={t('previousDay')} onClick={() => show(addDays(day, -1))}>
          <TbChevronLeft className="mantine-rotate-rtl" aria-hidden />
        </ActionIcon>
        <TextInput
          type="date"
          label={t('day')}
          {...(!isOwnZone(timeZone, period.from, period.to) && { description: t('timeZone', { timeZone }) })}
          flex={1}
          maw={260}
          max={today}
          value={day}
          onChange={({ currentTarget: { value } }) => value !== '' && show(value)}
        />
        <ActionIcon
          variant="default"
          aria-label={t('nextDay')}
          disabled={day >= today}
          onClick={() => show(addDays(day, 1))}
        >
          <TbChevronRight className="mantine-rotate-rtl" aria-hidden />
        </ActionIcon>
      </Group>
      <QueryView query={track}>
        {(points) =>
          points.length === 0 ? (
            <Text size="lg" py="xl">
              {t('noTrack')}
            </Text>
          ) : (
            <QueryView query={visits}>
              {(stays) => <Replay key={day} cid={cid} points={points} visits={stays} timeZone={timeZone} />}
            </QueryView>
          )
        }
      </QueryView>
    </Stack>
  );
}

interface ReplayProps {
  cid: string;
  points: readonly TrackPoint[];
  visits: readonly Schema<'VisitDto'>[];
  timeZone: string;
}

function Replay({ cid, points, visits, timeZone }: ReplayProps) {
  const { t } = useTranslation('locations');
  const [language] = useLanguage();
  const { data: fences } = useQuery(fencesQuery(useSession(), cid));
  const { time, begin, end, isPlaying, seek, play, pause } = useReplay(points);
  const format = (moment: number) => formatTime(moment, language, timeZone);
  const { lines, areas, view } = useMemo(
    () => ({
      lines: splitAtGaps(points).map((piece, index) => ({
        id: String(index),
        positions: piece.map(positionOf),
        color: 'teal' as const,
      })),
      areas: visits.map((visit) => ({
        id: String(visit.from),
        corners: circleAround(positionOf(visit), visit.radius),
        color: 'indigo' as const,
      })),
      view: points.map(positionOf),
    }),
    [points, visits],
  );
  const distance = useMemo(() => travelledDistance(points, visits), [points, visits]);
  const moment = momentAt(points, time);
  if (!moment) return null;
  const { point, position, gapUntil } = moment;
  const place = placeNameOf(fences?.items ?? [], point);
  const words = [format(time), place, t('accuracy', { metres: point.radius })].filter(Boolean).join(' · ');
  return (
    <Stack>
      <MapView
        label={t('trackMap')}
        height={{ base: 'max(38dvh, 280px)', md: 460 }}
        markers={[{ id: 'moment', label: words, position, content: <TrackMarker text={format(time)} /> }]}
        lines={lines}
        areas={areas}
        view={view}
        viewKey={`${cid} ${begin}`}
      />
      <Group wrap="nowrap" gap="lg">
        <ActionIcon variant="filled" aria-label={t(isPlaying ? 'pause' : 'play')} onClick={isPlaying ? pause : play}>
          {isPlaying ? <TbPlayerPause aria-hidden /> : <TbPlayerPlay aria-hidden />}
        </ActionIcon>
        <Slider
          flex={1}
          size="lg"
          thumbSize={28}
          label={format}
          thumbLabel={t('timeline')}
          thumbValueText={words}
          min={begin}
          max={Math.max(end, begin + 1)}
          step={60_000}
          value={time}
          onChange={(value) => {
            pause();
            seek(value);
          }}
        />
      </Group>
      <Text>{words}</Text>
      {distance >= MIN_DISTANCE && (
        <Text fw={600}>{t('distance', { distance: formatDistance(distance, language) })}</Text>
      )}
      {gapUntil !== undefined && (
        <Alert color="gray" variant="light">
          {t('gap', { from: format(point.positionTime), to: format(gapUntil) })}
        </Alert>
      )}
      <Title order={2} size="h3">
        {t('visits')}
      </Title>
      <Stays
        cid={cid}
        visits={visits}
        formatTime={format}
        onShow={(visit) => {
          pause();
          seek(visit.from);
        }}
      />
    </Stack>
  );
}
