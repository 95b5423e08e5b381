import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { BenchResult, GrowthCurve, ResultLine } from './result.js';

const WIDTH = 520;
/** A result that is many times better than its goal would hide the others. */
const MAX_SHOWN_SHARE = 3;

/** Returns charts of the results as SVG, by the end of their file names; none of a kind without values. */
export async function drawCharts(results: readonly BenchResult[]): Promise<Map<string, string>> {
  const withGoals = results.filter((result) => !result.curves);
  const lines = withGoals
    .flatMap((result) => result.lines)
    .filter(({ share, isGuarantee }) => share !== undefined && !isGuarantee);
  const curves = results.flatMap((result) => result.curves ?? []);
  const charts = new Map<string, string>();
  if (curves.length > 0) charts.set('growth', await toSvg(growthChart(curves)));
  if (lines.length > 0) charts.set('goals', await toSvg(goalChart(lines)));
  return charts;
}

/** A bar per goal; the goal is met where the bar reaches 1. */
function goalChart(lines: readonly ResultLine[]): TopLevelSpec {
  const values = lines.map(({ bench, what, share = 0, passed }) => ({
    what: `${bench} ${what}`,
    share: Math.min(share, MAX_SHOWN_SHARE),
    result: passed ? 'goal met' : 'goal missed',
  }));
  return {
    ...COMMON,
    layer: [
      {
        data: { values },
        mark: 'bar',
        encoding: {
          y: { field: 'what', type: 'nominal', sort: null, title: null, axis: { labelLimit: 420 } },
          x: { field: 'share', type: 'quantitative', title: `share of the goal (at most ${MAX_SHOWN_SHARE} is shown)` },
          color: { field: 'result', scale: { domain: ['goal met', 'goal missed'], range: ['#099268', '#e8590c'] } },
        },
      },
      { data: { values: [{ share: 1 }] }, mark: { type: 'rule', size: 2 }, encoding: { x: { datum: 1 } } },
    ],
  };
}

/** A line per operation: its cost at each size, relative to its cost at the smallest size. */
function growthChart(curves: readonly GrowthCurve[]): TopLevelSpec {
  const values = curves.flatMap(({ name, points }) => points.map((point) => ({ name, ...point })));
  return {
    ...COMMON,
    height: 280,
    data: { values },
    mark: { type: 'line', point: true },
    encoding: {
      x: { field: 'size', type: 'quantitative', scale: { type: 'log' }, title: 'families' },
      y: { field: 'ratio', type: 'quantitative', title: 'cost / cost at the smallest size' },
      color: { field: 'name', sort: null, title: null, legend: { labelLimit: 300 } },
    },
  };
}

const COMMON = { width: WIDTH, background: 'white', $schema: 'https://vega.github.io/schema/vega-lite/v6.json' };

function toSvg(spec: TopLevelSpec): Promise<string> {
  return new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG();
}
