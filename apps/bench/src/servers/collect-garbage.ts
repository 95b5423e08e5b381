/** This module is preloaded into a server whose memory is measured, and triggers a garbage collection on SIGUSR2. */
process.on('SIGUSR2', () => globalThis.gc?.());
