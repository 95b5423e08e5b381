import { type EventBusStatus, findDegradations } from '@family-watch/event-bus/event-bus-status';

/** Access to the event bus of the apps in this process, for readiness and metrics. */
export interface EventBusHealth {
  isConnected: () => boolean;
  statuses: () => Promise<EventBusStatus[]>;
}

/** Returns what is degraded in the event bus of this process. */
export async function findBusDegradations({ isConnected, statuses }: EventBusHealth): Promise<string[]> {
  const found = (await statuses()).flatMap(findDegradations);
  return isConnected() ? found : ['event bus: not connected', ...found];
}

/** Returns the metrics of the event bus in the text format of Prometheus. */
export async function renderBusMetrics({ isConnected, statuses }: EventBusHealth): Promise<string> {
  const all = await statuses();
  const perApp = (value: (status: EventBusStatus) => number) =>
    all.map((status) => [status.app, value(status)] as const);
  const withProjections = all.filter(({ projections }) => projections !== undefined);
  return [
    `# HELP family_watch_bus_connected 1 while the event bus is connected.`,
    `# TYPE family_watch_bus_connected gauge`,
    `family_watch_bus_connected ${isConnected() ? 1 : 0}`,
    ...gauge(
      'outbox_unpublished',
      'Unpublished events.',
      perApp((status) => status.unpublished),
    ),
    ...gauge(
      'outbox_delay_seconds',
      'Age of the oldest unpublished event.',
      perApp((status) => status.publicationDelayMs / 1_000),
    ),
    ...gauge(
      'retry_queue',
      'Events in the retry queue.',
      perApp((status) => status.retries),
    ),
    ...gauge(
      'dead_letters',
      'Dead letters.',
      perApp((status) => status.deadLetters),
    ),
    `# HELP family_watch_unknown_projections Families whose projection is unknown.`,
    `# TYPE family_watch_unknown_projections gauge`,
    ...withProjections.flatMap(({ app, projections }) =>
      Object.entries(projections?.unknown ?? {}).map(
        ([projection, count]) => `family_watch_unknown_projections{app="${app}",projection="${projection}"} ${count}`,
      ),
    ),
    ...gauge(
      'projections_repaired_total',
      'Objects repaired since the start of the process.',
      withProjections.map(({ app, projections }) => [app, projections?.repaired ?? 0]),
      'counter',
    ),
    ...gauge(
      'projections_compared_timestamp_seconds',
      'Time of the last complete comparison.',
      withProjections.map(({ app, projections }) => [app, (projections?.comparedAt ?? 0) / 1_000]),
    ),
    '',
  ].join('\n');
}

function gauge(
  name: string,
  help: string,
  values: readonly (readonly [app: string, value: number])[],
  type: 'gauge' | 'counter' = 'gauge',
): string[] {
  const full = `family_watch_${name}`;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...values.map(([app, value]) => `${full}{app="${app}"} ${value}`),
  ];
}
