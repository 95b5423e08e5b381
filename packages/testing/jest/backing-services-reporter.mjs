import './load-typescript.mjs';

const { default: Reporter } = await import('../src/reporting/backing-services.reporter.ts');

export default Reporter;
