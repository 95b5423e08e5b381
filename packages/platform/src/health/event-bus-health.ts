import type { INestApplicationContext } from '@nestjs/common';
import { EventBusRuntime } from '@family-watch/event-bus/event-bus-runtime';
import { type EventBusStatus, findDegradations } from '@family-watch/event-bus/event-bus-status';
import type { Messaging } from '@family-watch/event-bus/messaging';

/** Access to the event bus of the apps in this process, for readiness and metrics. */
export interface EventBusHealth {
  isConnected: () => boolean;
  statuses: () => Promise<EventBusStatus[]>;
}

/**
 * @param app - returns the Nest application, which runs the event bus of one app, or in standalone of all three apps
 */
export function eventBusHealthOf({ pubSub }: Messaging, app: () => INestApplicationContext): EventBusHealth {
  return {
    isConnected: () => pubSub.connected,
    statuses: () =>
      Promise.all(
        app()
          .get(EventBusRuntime, { strict: false, each: true })
          .map((runtime) => runtime.status()),
      ),
  };
}

/** Returns one description per problem of the event bus in this process. */
export async function findBusDegradations({ isConnected, statuses }: EventBusHealth): Promise<string[]> {
  const degradations = (await statuses()).flatMap(findDegradations);
  return isConnected() ? degradations : ['event bus: not connected', ...degradations];
}

/** Returns the metrics of the event bus in the text format of Prometheus. */
export async function renderBusMetrics({ isConnected, statuses }: EventBusHealth): Promise<string> {
  const all = await statuses();
  const perApp = (value: (status: EventBusStatus) => number): Sample[] =>
    all.map((status) => [{ app: status.app }, value(status)]);
  const withProjections = all.flatMap(({ app, projections }) => (projections ? [{ app, ...projections }] : []));
  const unknown = withProjections.flatMap((monitor) =>
    Object.entries(monitor.unknown).map(([projection, count]): Sample => [{ app: monitor.app, projection }, count]),
  );
  const repaired = withProjections.map((monitor): Sample => [{ app: monitor.app }, monitor.repaired]);
  const compared = withProjections.map((monitor): Sample => [{ app: monitor.app }, (monitor.comparedAt ?? 0) / 1_000]);
  const delays = perApp(({ publicationDelayMs }) => publicationDelayMs / 1_000);
  const deadLetters = perApp((status) => status.deadLetters);
  return [
    ...renderMetric('bus_connected', '1 while the event bus is connected.', [[{}, isConnected() ? 1 : 0]]),
    ...renderMetric(
      'outbox_unpublished',
      'Unpublished events.',
      perApp(({ unpublished }) => unpublished),
    ),
    ...renderMetric('outbox_delay_seconds', 'Age of the oldest unpublished event.', delays),
    ...renderMetric(
      'retry_queue',
      'Events in the retry queue.',
      perApp(({ retries }) => retries),
    ),
    ...renderMetric('dead_letters', 'Dead letters.', deadLetters),
    ...renderMetric('unknown_projections', 'Families whose projection is unknown.', unknown),
    ...renderMetric(
      'projections_repaired_total',
      'Objects repaired since the start of the process.',
      repaired,
      'counter',
    ),
    ...renderMetric('projections_compared_timestamp_seconds', 'Time of the last complete comparison.', compared),
    '',
  ].join('\n');
}

/** A value of a metric with its labels. */
type Sample = [labels: Record<string, string>, value: number];

function renderMetric(name: string, help: string, samples: readonly Sample[], type = 'gauge'): string[] {
  const fullName = `family_watch_${name}`;
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${fullName}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
  });
  return [`# HELP ${fullName} ${help}`, `# TYPE ${fullName} ${type}`, ...lines];
}
