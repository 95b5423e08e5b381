/** Preloaded into a server whose memory is measured. Triggers a garbage collection on SIGUSR2. */
process.on('SIGUSR2', () => globalThis.gc?.());
