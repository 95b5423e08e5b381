import './load-typescript.mjs';

const { stopRun } = await import('../src/run.ts');

export default stopRun;
