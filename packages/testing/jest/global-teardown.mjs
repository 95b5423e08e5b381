import './load-typescript.mjs';

const { stopTestServer } = await import('../src/database/test-server.ts');

export default stopTestServer;
