import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** All metrics of this process. In standalone the three apps share the registry, so their metrics have a label `app`. */
export const metricsRegistry = new Registry();

/** Upper bounds of the buckets of durations, seconds. */
const DURATION_BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10];
/** Upper bounds of the buckets of delays between processes, seconds. */
export const DELAY_BUCKETS = [0.05, 0.25, 1, 5, 30, 300];

const configuration = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) => ({
  name: `family_watch_${name}`,
  help,
  labelNames: [...labelNames],
  registers: [metricsRegistry],
});

// The functions below create metrics once per process, at the top level of a module. Label values are names from the
// code: never ids, phone numbers, tokens or other text of a request.

/** Creates a counter. Its name ends with `_total`. */
export function counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label> {
  return new Counter(configuration(name, help, labels));
}

/** Creates a gauge, which a method with `@OnScrape` sets. */
export function gauge<Label extends string>(name: string, help: string, labels: readonly Label[]): Gauge<Label> {
  return new Gauge(configuration(name, help, labels));
}

/**
 * Creates a histogram of seconds. An observation takes about 250 ns, so code that runs for each message of a socket
 * resolves the labels once, with `labels()`.
 */
export function histogram<Label extends string>(
  name: string,
  help: string,
  labels: readonly Label[],
  buckets: readonly number[] = DURATION_BUCKETS,
): Histogram<Label> {
  return new Histogram({ ...configuration(name, help, labels), buckets: [...buckets] });
}
