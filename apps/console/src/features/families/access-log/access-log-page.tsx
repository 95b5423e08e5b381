import { ActionIcon, Badge, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { TbChevronLeft, TbChevronRight } from 'react-icons/tb';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useDateFormat } from '../../../ui/date-time.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { Section } from '../../../ui/section.js';
import { childDetailQuery, childrenQuery, membersQuery } from '../queries.js';
import { accessLogQuery, type AccessLogEntry } from './queries.js';

const HOUR_MS = 3_600_000;

/** Who saw the data of a child, day by day. */
export function AccessLogPage() {
  const { t } = useTranslation('accessLog');
  const { t: tAccount } = useTranslation('accounts');
  const children = useQuery(childrenQuery(useSession()));
  const [chosenCid, setCid] = useState<string | null>(null);
  const [day, setDay] = useState(() => toDateText(new Date()));
  return (
    <Stack maw={640}>
      <PageTitle title={tAccount('accessLog')} back={{ to: '/family/account/privacy' }} />
      <QueryView query={children}>
        {({ childList }) => {
          const cid = chosenCid ?? childList[0]?.cid;
          if (cid === undefined) return <Text c="dimmed">{t('noChild')}</Text>;
          return (
            <Stack>
              {childList.length > 1 && (
                <Select
                  label={t('child')}
                  data={childList.map((child) => ({ value: child.cid, label: child.name }))}
                  value={cid}
                  allowDeselect={false}
                  onChange={setCid}
                />
              )}
              <Group align="end" gap="xs" wrap="nowrap">
                <ActionIcon aria-label={t('previousDay')} onClick={() => setDay(shiftDay(day, -1))}>
                  <TbChevronLeft className="mantine-rotate-rtl" aria-hidden />
                </ActionIcon>
                <TextInput
                  flex={1}
                  label={t('day')}
                  type="date"
                  required
                  max={toDateText(new Date())}
                  value={day}
                  onChange={({ currentTarget }) => currentTarget.value && setDay(currentTarget.value)}
                />
                <ActionIcon
                  aria-label={t('nextDay')}
                  disabled={day >= toDateText(new Date())}
                  onClick={() => setDay(shiftDay(day, 1))}
                >
                  <TbChevronRight className="mantine-rotate-rtl" aria-hidden />
                </ActionIcon>
              </Group>
              <DayLog cid={cid} day={day} />
            </Stack>
          );
        }}
      </QueryView>
    </Stack>
  );
}

function DayLog({ cid, day }: { cid: string; day: string }) {
  const { t } = useTranslation('accessLog');
  const session = useSession();
  const formatDay = useDateFormat('date');
  const formatTime = useDateFormat('time');
  const from = parseDay(day).getTime();
  const log = useInfiniteQuery(accessLogQuery(session, cid, from, parseDay(shiftDay(day, 1)).getTime()));
  const nameOf = useViewerName(cid);
  return (
    <Section title={formatDay(from)}>
      <QueryView query={log}>
        {({ pages }) => {
          const hours = byHour(pages.flatMap(({ items }) => items));
          if (hours.length === 0) return <Text c="dimmed">{t('nobodySaw')}</Text>;
          return (
            <Stack>
              {hours.map(({ hour, viewers }) => (
                <Stack key={hour} gap="xs">
                  <Text fw={500}>
                    {formatTime(hour)} – {formatTime(hour + HOUR_MS)}
                  </Text>
                  {viewers.map(({ viewer, kinds }) => (
                    <Group key={viewer.id} gap="xs">
                      <Text>{nameOf(viewer)}</Text>
                      {kinds.map((kind) => (
                        <Badge key={kind} variant="light" tt="none">
                          {t(`access${kind}`)}
                        </Badge>
                      ))}
                    </Group>
                  ))}
                </Stack>
              ))}
              {log.hasNextPage && (
                <Button variant="light" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                  {t('more')}
                </Button>
              )}
            </Stack>
          );
        }}
      </QueryView>
    </Section>
  );
}

function useViewerName(cid: string): (viewer: AccessLogEntry['viewer']) => string {
  const { t } = useTranslation('accessLog');
  const session = useSession();
  const { data: child } = useQuery(childDetailQuery(session, cid));
  const familyId = child?.familyId ?? '';
  const { data: members } = useQuery({ ...membersQuery(session, familyId), enabled: familyId !== '' });
  return ({ type, id }) => {
    if (type === 'SHARE_LINK') return t('shareLink');
    if (id === session.userId) return t('you');
    return members?.items.find(({ userId }) => userId === id)?.name ?? t('formerMember');
  };
}

interface HourOfLog {
  readonly hour: number;
  readonly viewers: { viewer: AccessLogEntry['viewer']; kinds: AccessLogEntry['kind'][] }[];
}

/** Groups the entries by hour and viewer, in their order. */
function byHour(entries: readonly AccessLogEntry[]): HourOfLog[] {
  const hours: HourOfLog[] = [];
  for (const { hour, viewer, kind } of entries) {
    let group = hours.find((each) => each.hour === hour);
    if (!group) hours.push((group = { hour, viewers: [] }));
    const known = group.viewers.find((each) => each.viewer.id === viewer.id);
    if (known) known.kinds.push(kind);
    else group.viewers.push({ viewer, kinds: [kind] });
  }
  return hours;
}

/** A local day as `YYYY-MM-DD`, the form of date fields. */
function toDateText(date: Date): string {
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;
}

/** Returns the beginning of the day in the time zone of the browser. */
function parseDay(day: string): Date {
  return new Date(`${day}T00:00:00`);
}

function shiftDay(day: string, days: number): string {
  const date = parseDay(day);
  date.setDate(date.getDate() + days);
  return toDateText(date);
}
