import './load-typescript.mjs';

const { startTestServer } = await import('../src/database/test-server.ts');

export default startTestServer;
