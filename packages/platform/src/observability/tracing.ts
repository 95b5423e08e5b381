import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import { parseTraceparent, type EventTracing } from '@family-watch/event-bus/traceparent';
import type { Environment } from '../config/environment.js';

// Spans have names and attributes from the code (operations, events, tables, statuses), never ids, phone numbers or
// other data of a request, and no texts of errors.

/** Undefined unless OTEL_EXPORTER_OTLP_ENDPOINT is set; then every function of this file only calls the work. */
let tracer: Tracer | undefined;

/**
 * Starts tracing if OTEL_EXPORTER_OTLP_ENDPOINT is set; otherwise loads nothing.
 *
 * @param service - name of the process, such as `gateway`
 * @returns a function that exports the remaining spans
 */
export async function startTracing(
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio }: Environment,
  service: string,
): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => undefined;
  const { startOtlpTracing } = await import('./otlp-tracing.js');
  const tracing = startOtlpTracing(service, endpoint, ratio);
  tracer = tracing.tracer;
  // A collector that is unavailable must not fail the stop of the process.
  return () => tracing.stop().catch(() => undefined);
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Returns the W3C `traceparent` of the current work; undefined unless the work is sampled. */
export function currentTraceparent(): string | undefined {
  const span = tracer && trace.getActiveSpan();
  if (!span?.isRecording()) return undefined;
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

export interface SpanDescription {
  readonly name: string;
  readonly kind?: 'server' | 'consumer' | 'producer' | 'client';
  readonly attributes?: Attributes;
  /** The `traceparent` of the span's parent; absent if the parent is the current span. */
  readonly traceparent?: string | undefined;
  /** The `traceparent` of further work that this span continues. */
  readonly links?: readonly string[];
}

const KINDS = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
  client: SpanKind.CLIENT,
};

/** Starts a span, which the caller must end; undefined unless the process traces. */
export function startSpan({ name, kind, attributes, traceparent, links }: SpanDescription): Span | undefined {
  if (!tracer) return undefined;
  const parent = traceparent === undefined ? context.active() : contextOf(traceparent);
  const linked = (links ?? []).flatMap((link) => trace.getSpanContext(contextOf(link)) ?? []);
  const options = {
    kind: kind ? KINDS[kind] : SpanKind.INTERNAL,
    links: linked.map((spanContext) => ({ context: spanContext })),
    ...(attributes ? { attributes } : {}),
  };
  return tracer.startSpan(name, options, parent);
}

/** Runs `work` as the work of a span. */
export function runInSpan<Result>(span: Span, work: () => Result): Result {
  return context.with(trace.setSpan(context.active(), span), work);
}

/** Runs `work` in a new span. An error marks the span as failed, without the text of the error. */
export async function traced<Result>(description: SpanDescription, work: () => Promise<Result>): Promise<Result> {
  const span = startSpan(description);
  if (!span) return work();
  try {
    return await runInSpan(span, work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'unknown' });
    throw error;
  } finally {
    span.end();
  }
}

/** Runs a database statement in a span that names its command and first table, if the current work is sampled. */
export function tracedStatement<Result>(sql: string, work: () => Promise<Result>): Promise<Result> {
  if (!tracer || !trace.getActiveSpan()?.isRecording()) return work();
  const [first = 'statement'] = /[a-z]+/i.exec(sql) ?? [];
  const [command] = /^with$/i.test(first) ? (/(?<!for )\b(insert|update|delete)\b/i.exec(sql) ?? ['select']) : [first];
  const [, table] = /\b(?:from|into|update|join)\s+"?([a-z]\w*"?\."?[a-z]\w*)"?/i.exec(sql) ?? [];
  const summary = [command?.toUpperCase(), table?.replaceAll('"', '')].filter(Boolean).join(' ');
  return traced({ name: summary, kind: 'client', attributes: { 'db.system.name': 'postgresql' } }, work);
}

/** A trace that {@link continueTrace} continues in other asynchronous work. */
export type CapturedTrace = Context;

/** Returns the trace of the current work; undefined unless it is sampled. */
export function captureTrace(): CapturedTrace | undefined {
  return tracer && trace.getActiveSpan()?.isRecording() ? context.active() : undefined;
}

export function continueTrace<Result>(captured: CapturedTrace | undefined, work: () => Result): Result {
  return captured ? context.with(captured, work) : work();
}

/** Connects the spans of an event's publisher and its consumers; undefined unless the process traces. */
export function eventTracingOf(app: string): EventTracing | undefined {
  if (!tracer) return undefined;
  return {
    currentTraceparent,
    traceHandling: (events, work) => {
      const [first, ...others] = events.filter(({ traceparent }) => traceparent !== undefined);
      if (!first) return work();
      const attributes = { 'family_watch.app': app, 'messaging.batch.message_count': events.length };
      return traced(
        {
          name: `handle ${first.name}`,
          kind: 'consumer',
          attributes,
          traceparent: first.traceparent,
          links: others.map(({ traceparent = '' }: DomainEvent) => traceparent),
        },
        work,
      );
    },
  };
}

/** Returns a context whose span is the remote span of `traceparent`. */
function contextOf(traceparent: string): Context {
  const parsed = parseTraceparent(traceparent);
  if (!parsed) return ROOT_CONTEXT;
  const traceFlags = parsed.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { ...parsed, traceFlags, isRemote: true });
}
