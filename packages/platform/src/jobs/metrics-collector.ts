import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { findDecoratedMethods, type DecoratedMethod } from './decorated-methods.js';
import { runAs } from '../concurrency/work-priority.js';
import { counter, metricsRegistry } from '../observability/instruments.js';
import { OnScrapeMetadata } from './on-scrape.decorator.js';

/** Milliseconds for which the gauges are reused, so that frequent scrapes do not load the database. */
const GAUGES_TTL_MS = 3_000;
/** Milliseconds after which the metrics are returned without the gauges of methods that have not completed. */
const COLLECTION_TIMEOUT_MS = 3_000;

const FAILURES = counter('scrape_failures_total', 'Failed or late measurements of gauges, whose values are outdated.', [
  'source',
]);

/** Returns the metrics of this process, after the methods with `OnScrape` have set their gauges. */
@Injectable()
export class MetricsCollector {
  private readonly logger = new Logger(MetricsCollector.name);
  private methods: readonly DecoratedMethod<boolean>[] | undefined;
  private collectedAt = -Infinity;
  private running: Promise<void> | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  /** Returns all metrics in the text format of Prometheus; never rejects because of a failed measurement. */
  async render(): Promise<string> {
    if (performance.now() - this.collectedAt > GAUGES_TTL_MS) {
      this.running ??= runAs('internal', () => this.measure()).finally(() => (this.running = undefined));
      await Promise.race([this.running, sleep(COLLECTION_TIMEOUT_MS, undefined, { ref: false })]);
    }
    return metricsRegistry.metrics();
  }

  private async measure(): Promise<void> {
    this.methods ??= findDecoratedMethods<boolean>(this.discovery, OnScrapeMetadata);
    await Promise.all(this.methods.map((method) => this.call(method)));
    this.collectedAt = performance.now();
  }

  private async call({ instance, call }: DecoratedMethod<boolean>): Promise<void> {
    const source = instance.constructor.name;
    const late = setTimeout(() => FAILURES.inc({ source }), COLLECTION_TIMEOUT_MS).unref();
    try {
      await call();
    } catch (error) {
      FAILURES.inc({ source });
      this.logger.debug({ msg: 'Measurement of metrics failed', source, err: error });
    } finally {
      clearTimeout(late);
    }
  }
}
