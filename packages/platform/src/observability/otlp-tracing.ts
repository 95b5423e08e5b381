import { context, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

export interface OtlpTracing {
  readonly tracer: Tracer;
  /** Exports the remaining spans, for at most two seconds. */
  stop(): Promise<void>;
}

const EXPORT_TIMEOUT_MS = 2_000;
const EXPORT_INTERVAL_MS = 1_000;

/**
 * Starts the export of spans to a collector. Spans that the collector does not accept in time are dropped: at most 2,048
 * spans wait.
 *
 * @param endpoint - base URL of the collector; spans are sent to `/v1/traces`
 * @param ratio - fraction of the traces that are exported. The trace id decides, so all processes decide alike, and
 *   clients cannot request or prevent a trace.
 */
export function startOtlpTracing(service: string, endpoint: string, ratio: number): OtlpTracing {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const sampler = new TraceIdRatioBasedSampler(ratio);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `family-watch-${service}` }),
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler, remoteParentNotSampled: sampler }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }),
        scheduledDelayMillis: EXPORT_INTERVAL_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return { tracer: provider.getTracer('family-watch'), stop: () => provider.shutdown() };
}
