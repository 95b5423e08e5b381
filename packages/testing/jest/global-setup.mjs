import './load-typescript.mjs';

const { startRun } = await import('../src/run.ts');

export default startRun;
