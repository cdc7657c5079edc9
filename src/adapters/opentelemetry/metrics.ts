/** The metrics that Prometheus collects, sent by OTLP as they are: one set of numbers, two ways out. */
import type { HrTime } from "@opentelemetry/api";
import { hrTime } from "@opentelemetry/core";
import { OTLPMetricExporter as JsonMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { OtlpProtocol } from "../../runtime/telemetry.ts";

/** One metric as prom-client gives it (`getMetricsAsJSON`). Of a histogram, cumulative buckets with `le`, sum and count. */
export interface PrometheusMetric {
  name: string;
  help: string;
  type: unknown;
  values: readonly {
    value: number;
    metricName?: string;
    labels: Readonly<Record<string, string | number | undefined>>;
  }[];
}

const EXPORT_EVERY_MS = 60_000;

type Labels = Record<string, string>;

const labelsOf = ({ le: _, quantile: __, ...labels }: PrometheusMetric["values"][number]["labels"]): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

interface HistogramSeries {
  labels: Labels;
  buckets: { le: number; cumulative: number }[];
  sum: number;
  count: number;
}

const seriesOf = ({ name, values }: PrometheusMetric): HistogramSeries[] => {
  const series = new Map<string, HistogramSeries>();
  for (const { value, metricName, labels } of values) {
    const own = labelsOf(labels);
    const key = JSON.stringify(own);
    const one = series.get(key) ?? { labels: own, buckets: [], sum: 0, count: 0 };
    series.set(key, one);
    if (metricName === `${name}_sum`) one.sum = value;
    else if (metricName === `${name}_count`) one.count = value;
    else if (labels.le !== "+Inf") one.buckets.push({ le: Number(labels.le), cumulative: value });
  }
  return [...series.values()];
};

const histogramOf = ({ buckets, sum, count }: HistogramSeries) => {
  const sorted = buckets.toSorted((a, b) => a.le - b.le);
  const counts = sorted.map(({ cumulative }, i) => cumulative - (sorted[i - 1]?.cumulative ?? 0));
  const last = count - (sorted.at(-1)?.cumulative ?? 0);
  return { buckets: { boundaries: sorted.map(({ le }) => le), counts: [...counts, last] }, sum, count };
};

/** @param startTime when counting began */
export const metricDataOf = (metric: PrometheusMetric, startTime: HrTime, endTime: HrTime): MetricData => {
  const { name, help: description, type, values } = metric;
  const common = {
    descriptor: { name, description, unit: name.includes("seconds") ? "s" : "", valueType: 1 },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === "histogram")
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: seriesOf(metric).map((one) => ({
        startTime,
        endTime,
        attributes: one.labels,
        value: histogramOf(one),
      })),
    };
  const dataPoints = values
    .filter(({ value, metricName = name }) => metricName === name && Number.isFinite(value))
    .map(({ value, labels }) => ({ startTime, endTime, attributes: labelsOf(labels), value }));
  return type === "counter"
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
};

/** Sends what `read` gives, once a minute or as OTEL_METRIC_EXPORT_INTERVAL says. @returns what sends the rest and ends it */
export const sendMetrics = (
  read: () => Promise<readonly PrometheusMetric[]>,
  protocol: OtlpProtocol,
  resource: Resource,
): (() => Promise<void>) => {
  const startTime = hrTime();
  const metricProducer: MetricProducer = {
    collect: async () => {
      const metrics = (await read()).map((metric) => metricDataOf(metric, startTime, hrTime()));
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: "bridge" }, metrics }] },
        errors: [],
      };
    },
  };
  const exportIntervalMillis = Number(process.env.OTEL_METRIC_EXPORT_INTERVAL) || EXPORT_EVERY_MS;
  const reader = new PeriodicExportingMetricReader({
    exporter: protocol === "http/json" ? new JsonMetricExporter() : new OTLPMetricExporter(),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(exportIntervalMillis, 30_000),
    metricProducers: [metricProducer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
};
