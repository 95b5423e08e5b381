import './load-typescript.mjs';

const { default: Reporter } = await import('../src/reporting/run-report.reporter.ts');

export default Reporter;
