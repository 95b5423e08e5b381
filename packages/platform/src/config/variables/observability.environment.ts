import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, IsUrl, Max, Min, MinLength } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { URL_OPTIONS, toFraction, toInteger } from './text-values.js';

/** Metrics and traces. */
export class ObservabilityEnvironment {
  /**
   * Port of the Prometheus metrics, at `/metrics`; absent: no metrics are served. In standalone, one port serves the
   * metrics of the three apps.
   */
  @SetBy('large operators')
  @IsOptional()
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(65_535)
  METRICS_PORT?: number;

  /**
   * Address of METRICS_PORT. Everybody who can reach this address can read the metrics, so it must not be public: in a
   * container, `0.0.0.0` on an internal network.
   */
  @SetBy('large operators')
  @IsString()
  @MinLength(1)
  METRICS_HOST = '127.0.0.1';

  /** URL of an OpenTelemetry collector that receives traces (OTLP over HTTP); absent: nothing is traced. */
  @SetBy('large operators')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** Fraction of the traces that are exported, 0 to 1. */
  @SetBy('large operators')
  @Transform(toFraction)
  @Min(0)
  @Max(1)
  OTEL_TRACES_SAMPLER_ARG = 0.05;
}
